"""Some bodies of random masses and inertias: their momentum and energy by the plainest sums."""

import numpy as np

from abut import Pose
from abut.dynamics.accounts.account_kernels import WRENCHES
from abut.dynamics.accounts.balance_tables import Balance, Moved

NONE = (0.0, 0.0, 0.0)
STEP = 1e-3


class Cloud:
    """Some bodies of random masses and inertias on their ways."""

    def __init__(self, rng, n=5):
        poses = [Pose(rng.normal(size=3), quat_wxyz=rng.normal(size=4)) for _ in range(n)]
        self.mass, self.pose, self.twist = rng.uniform(0.1, 10.0, n), np.stack([p.row for p in poses]), None
        self.twist = rng.normal(size=(n, 6))
        roots = rng.normal(size=(n, 3, 3))
        self.inertia = np.einsum("nij,nkj->nik", roots, roots)
        R = np.stack([pose.rotation for pose in poses])
        self.in_world = np.einsum("nij,njk,nlk->nil", R, self.inertia, R)
        self.bodies = np.arange(n, dtype=np.int32)

    def balance(self, gravity=NONE):
        fields = dict.fromkeys(Balance._fields, np.zeros(1))
        loads = {"gravity": np.array(gravity), "load": np.zeros((len(self.mass), 6)), "step": STEP}
        return Balance(**fields | {"mass": self.mass, "inertia": self.inertia, **loads})

    def moved(self):
        n = len(self.mass)
        return Moved(self.pose, self.twist, np.zeros((n, 2)), np.zeros((n, WRENCHES, 6)))

    def momentum(self):
        """Linear, and angular about the origin."""
        p = self.mass[:, None] * self.twist[:, :3]
        own = np.einsum("nij,nj->ni", self.in_world, self.twist[:, 3:])
        return p.sum(axis=0), (np.cross(self.pose[:, :3], p) + own).sum(axis=0)

    def energy(self):
        turning = np.einsum("ni,nij,nj->", self.twist[:, 3:], self.in_world, self.twist[:, 3:])
        return 0.5 * (self.mass @ (self.twist[:, :3] ** 2).sum(axis=1) + turning)
