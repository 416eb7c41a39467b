"""The friction problems of Siconos, where the data set lies beside the checkout."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "siconos-friction"


def local_problem(path: Path) -> tuple[Any, np.ndarray, np.ndarray]:
    """W, q and mu as they were stored."""
    from scipy.sparse import csr_array

    data = np.load(path)
    return csr_array((data["data"], data["indices"], data["indptr"]), shape=tuple(data["shape"])), data["q"], data["mu"]


def global_problem(path: Path) -> tuple[Any, np.ndarray, np.ndarray]:
    """W = H^T M^-1 H, q = H^T M^-1 f + w and mu of an FCLIB file."""
    import h5py

    with h5py.File(path) as file:
        group = file["fclib_global"]
        M, H = fclib_matrix(group["M"]), fclib_matrix(group["H"])
        f, w, mu = (group["vectors"][name][:] for name in ("f", "w", "mu"))
    return H.T @ np.linalg.solve(M, H), H.T @ np.linalg.solve(M, f) + w, mu


def fclib_matrix(group: Any) -> np.ndarray:
    """Triplets, or compressed columns (nz = -1) or rows (nz = -2)."""
    from scipy.sparse import coo_array, csc_array, csr_array

    shape, nz = (group["m"][0], group["n"][0]), group["nz"][0]
    i, p, x = group["i"][:], group["p"][:], group["x"][:]
    if nz >= 0:
        return coo_array((x[:nz], (i[:nz], p[:nz])), shape=shape).toarray()
    return (csr_array if nz == -2 else csc_array)((x, i, p), shape=shape).toarray()


def problems() -> Iterator[tuple[str, Any, np.ndarray, np.ndarray]]:
    """Name, W, q and mu of each; those in HDF5 only where h5py is installed."""
    for path in sorted(FOLDER.glob("*.npz")):
        yield path.stem, *local_problem(path)
    for path in sorted(FOLDER.glob("*.hdf5")):
        try:
            yield path.stem, *global_problem(path)
        except ImportError:
            continue
