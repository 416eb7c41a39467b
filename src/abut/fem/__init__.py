"""Deformable bodies: tetrahedra and their material, elastic bodies, skins and how these meet; free of worlds.

meshing      `TetMesh`: a cage made from arrays, a file or a `Solid`, its quality, and the skin that it carries
material     stiffness and mass as sparse matrices
elastic      `ElasticBody`: a cage with a material that moves, one implicit step at a time
detect       where skins have entered each other, as published
"""

from .detect import Detection as Detection
from .detect import Entered as Entered
from .detect import detect as detect
from .elastic.elastic_body import ElasticBody as ElasticBody
from .elastic.outcome import Prediction as Prediction
from .elastic.outcome import Settled as Settled
from .elastic.outcome import StepResult as StepResult
from .material import mass as mass
from .material import stiffness as stiffness
from .meshing.divide import divided as divided
from .meshing.embedding import Embedding as Embedding
from .meshing.quality import MeshWarning as MeshWarning
from .meshing.quality import Quality as Quality
from .meshing.tet_mesh import TetMesh as TetMesh
from .skin import Skin as Skin
