// The course of a convolution: which vectors of places in the planes are computed, and where their
// results go. One for all images, groups and strips of channels.
//
//   row k = (channel, tap) of the matrix, from its offset on:   x0 x1 x2 x3 | p p | x4 x5 …
//   results, a plane's width apart from row to row:             y0 y1 y2 y3 | – – | y4 y5 …
//
// Vectors follow each other through the planes, gaps between the rows included, or begin anew with each
// row of results, whichever costs less. Where a vector of images lies side by side, each place is a vector.
#pragma once

#include "exact/kernels/tile.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// Where results go: along each axis `count` of them, the first at `origin`, `step` apart.
struct Target {
  long count[3], origin[3], step[3], size[3];
};

template <class T>
struct Scene {
  static constexpr long vector = VectorOf<T>::count;
  long plane_height, plane_width;  // of the planes that the vectors lie in
  Target target;
  long k;            // steps of a result
  long images;       // side by side at each place: one, or a vector of them

  bool together() const { return images > 1; }
  long rows() const { return target.count[0] * target.count[1]; }
  long places() const {
    return ((target.count[0] - 1) * plane_height + target.count[1] - 1) * plane_width + target.count[2];
  }
  // A vector in which a row ends and another begins costs as much more as kParted steps.
  bool row_by_row() const {
    constexpr long kParted = 20;
    return together() || vectors_by_row() * k <= vectors_through() * k + rows() * kParted;
  }
  long vectors_by_row() const {
    return rows() * (together() ? target.count[2] : (target.count[2] + vector - 1) / vector);
  }
  long vectors_through() const { return (places() + vector - 1) / vector; }
  long tiles() const {
    const long vectors = row_by_row() ? vectors_by_row() : vectors_through();
    return (vectors + kVectors - 1) / kVectors;
  }
  // Vectors that are multiplied and added for a channel of results.
  long steps() const { return tiles() * kVectors * k; }
};

// Results that are neighbours, or of neighbouring images: `length` values of a tile's rows, from `from` on, and where
// the first one goes.
struct Run {
  int from, length;
  long to;
};

// Where the vectors of a tile begin in the planes, and which runs it has.
struct Vectors {
  long first[kVectors];
  long run, run_end;
};

struct Course {
  Vectors* tiles;
  Run* runs;
};

// Lays a course into memory of room() bytes, aligned for long.
template <class T>
class CourseMaker {
 public:
  // A run begins with a vector, or with a row within one.
  static size_t room(const Scene<T>& scene) {
    const long runs = scene.tiles() * kVectors + scene.rows();
    return static_cast<size_t>(scene.tiles()) * sizeof(Vectors) + static_cast<size_t>(runs) * sizeof(Run);
  }

  CourseMaker(const Scene<T>& scene, void* memory) : scene_(scene), to_(scene.target) {
    course_.tiles = static_cast<Vectors*>(memory);
    course_.runs = reinterpret_cast<Run*>(course_.tiles + scene.tiles());
  }

  Course make() {
    if (scene_.row_by_row()) {
      go_by_row();
    } else {
      go_through();
    }
    while (vectors_ % kVectors != 0) begin(0);  // what is left of the last tile computes nothing that is kept
    return course_;
  }

 private:
  static constexpr long vector = VectorOf<T>::count;

  void go_by_row() {
    const long step = scene_.together() ? 1 : vector;
    for (long d = 0; d < to_.count[0]; ++d) {
      for (long h = 0; h < to_.count[1]; ++h) {
        for (long w = 0; w < to_.count[2]; w += step) {
          begin(((d * scene_.plane_height + h) * scene_.plane_width + w) * scene_.images);
          add(d, h, w, 0, scene_.together() || to_.count[2] - w >= vector ? vector : to_.count[2] - w);
        }
      }
    }
  }

  void go_through() {
    long d = 0, h = 0, w = 0;
    for (long q = 0; q < scene_.places(); q += vector) {
      begin(q);
      for (long x = 0; x < vector && d < to_.count[0];) {
        const long length = scene_.plane_width - w < vector - x ? scene_.plane_width - w : vector - x;
        const long results = h < to_.count[1] ? to_.count[2] - w : 0;
        if (results > 0) add(d, h, w, x, results < length ? results : length);
        x += length;
        w += length;
        if (w < scene_.plane_width) continue;
        w = 0;
        if (++h < scene_.plane_height) continue;
        h = 0;
        ++d;
      }
    }
  }

  void begin(long place) {
    Vectors& tile = course_.tiles[vectors_ / kVectors];
    if (vectors_ % kVectors == 0) tile.run = tile.run_end = runs_;
    tile.first[vectors_ % kVectors] = place;
    ++vectors_;
  }

  // Values [x, x + length) of the vector that was begun last are the results from (d, h, w) on.
  void add(long d, long h, long w, long x, long length) {
    Vectors& tile = course_.tiles[(vectors_ - 1) / kVectors];
    const long row = (to_.origin[0] + d * to_.step[0]) * to_.size[1] + to_.origin[1] + h * to_.step[1];
    const long at = row * to_.size[2] + to_.origin[2] + w * to_.step[2];
    const long from = (vectors_ - 1) % kVectors * vector + x;
    if (runs_ > tile.run && to_.step[2] == 1 && !scene_.together()) {
      Run& last = course_.runs[runs_ - 1];
      if (last.from + last.length == from && last.to + last.length == at) {
        last.length += static_cast<int>(length);
        return;
      }
    }
    course_.runs[runs_++] = {static_cast<int>(from), static_cast<int>(length), at};
    tile.run_end = runs_;
  }

  const Scene<T>& scene_;
  const Target& to_;
  Course course_;
  long vectors_ = 0;
  long runs_ = 0;
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
