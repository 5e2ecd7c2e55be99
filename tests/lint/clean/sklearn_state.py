from sklearn.cluster import KMeans
from sklearn.model_selection import train_test_split

train, test = train_test_split(list(range(10)), random_state=0)
model = KMeans(3, random_state=0)
first, second = train_test_split(list(range(10)), shuffle=False)
