import os

from natsort import natsorted

frames = natsorted(os.listdir("frames"))
print(frames[0])
