from .model import fit
from .seeding import begin

if __name__ == "__main__":
    begin(1)
    fit()
