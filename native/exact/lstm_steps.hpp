// The steps of an LSTM, one after the other in one call.
#pragma once

namespace samebits::exact {

template <class T>
struct LstmSteps {
  long steps, rows, hidden;
  const T* x;       // [steps, rows, 4 hidden]: W_ih x + b_ih
  const T* weight;  // W_hh, [4 hidden, hidden]
  const T* bias;    // b_hh, or null
  const T* h;       // [rows, hidden]: the states before the first step
  const T* c;
  T* hy;     // [steps, rows, hidden]
  T* cy;     // this and what follows has a place for each step where `keeps`, else one for all
  T* gates;  // [rows, 4 hidden]: W_hh h + b_hh
  T* kept;   // [rows, 5 hidden], as of a step
  bool keeps;
};

template <class T>
struct LstmStepsBackward {
  long steps, rows, hidden;
  const T* of_hy;  // [steps, rows, hidden]: what comes to the outputs, or null
  const T* of_h;   // to the states after the last step, or null; something comes to that step
  const T* of_c;
  const T* weight;
  const T* c;
  const T* cy;
  const T* kept;
  T* gates;   // [steps, rows, 4 hidden]: slopes of x, and of what is added to it
  T* grad_h;  // or null
  T* grad_c;
};

// The slopes of W_hh and b_hh by some of the steps, each step's for itself.
template <class T>
struct LstmSlopes {
  long steps, rows, hidden;
  const T* gates;  // [steps, rows, 4 hidden]: slopes
  const T* h;      // [rows, hidden], before the first of the steps
  const T* hy;     // [steps, rows, hidden]
  T* weights;      // [steps, 4 hidden, hidden], or null
  T* biases;       // [steps, 4 hidden], or null
  bool added;      // to each other, from the last step to the first: one of each
};

}  // namespace samebits::exact
