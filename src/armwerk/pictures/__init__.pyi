from armwerk.pictures.arm import draw_arm as draw_arm
from armwerk.pictures.motion import draw_motion as draw_motion
from armwerk.pictures.skeleton import good_configuration as good_configuration
