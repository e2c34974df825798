from armwerk.motors.can_port import CanPort as CanPort
from armwerk.motors.clock import (
    CycleClock as CycleClock,
    JitterReport as JitterReport,
    take_priority as take_priority,
)
from armwerk.motors.cyclic import FrameCounts as FrameCounts
from armwerk.motors.interface import (
    ModuleConfig as ModuleConfig,
    ModulePort as ModulePort,
    ModuleStatus as ModuleStatus,
    MotorInterface as MotorInterface,
)
from armwerk.motors.module_simulator import (
    FrameFaults as FrameFaults,
    ModuleSimulator as ModuleSimulator,
    module_configs as module_configs,
)
from armwerk.motors.modules import MotorModules as MotorModules
from armwerk.motors.ramp import RampAxis as RampAxis
from armwerk.motors.simulated_module import SimulatedModule as SimulatedModule
from armwerk.motors.world_port import (
    SteppedElsewhere as SteppedElsewhere,
    WorldPort as WorldPort,
)
