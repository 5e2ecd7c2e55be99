import torch
from fastapi import FastAPI

app = FastAPI()
model = torch.nn.Linear(4, 2)
model.load_state_dict(torch.load("w.pt"))
model.eval()


@app.get("/")
def predict(x: float):
    return model(torch.full((1, 4), x)).tolist()
