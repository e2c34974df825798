from armwerk.stations.derivation import (
    StationDerivation as StationDerivation,
    derive_station as derive_station,
)
from armwerk.stations.description import Station as Station
from armwerk.stations.file import (
    load_station as load_station,
    save_station as save_station,
    station_names as station_names,
)
from armwerk.stations.flat import FlatSeam as FlatSeam
from armwerk.stations.joining import mounted as mounted
from armwerk.stations.model import StationModel as StationModel, StationPoses as StationPoses
from armwerk.stations.parts import (
    StationTrajectories as StationTrajectories,
    station_parts as station_parts,
)
from armwerk.stations.picture import draw_station as draw_station
