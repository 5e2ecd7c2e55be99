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
  const T* const* grad_hy;  // for each step, or null where nothing comes; something comes to the last one
  const T* const* grad_cy;
  const T* weight;
  const T* const* h;  // the states before each step
  const T* const* c;
  const T* kept;  // [steps, rows, 5 hidden]
  T* gates;       // [steps, rows, 4 hidden]: slopes of x, and of what is added to it
  T* weights;     // [steps, 4 hidden, hidden]: each step's slope of W_hh, or null
  T* biases;      // [steps, 4 hidden]: of b_hh, or null
  T* grad_h;      // [rows, hidden], or null
  T* grad_c;
};

}  // namespace samebits::exact
