import os
import subprocess
import sys

subprocess.run([sys.executable, "-c", "1"], env={**os.environ, "PYTHONHASHSEED": "0"}, check=True)
