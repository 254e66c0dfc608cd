/** @file One pair at many poses: the poses in, columns of results out. */
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "geometry/cell.h"
#include "host/cli/cli.h"
#include "host/cli/npz.h"
#include "host/results/column_file.h"
#include "host/scene/pairs.h"
#include "host/scene/shape_metrics.h"

namespace intervox::cli {

/** What a command takes for many poses. */
struct BulkOptions {
  std::string poses;  ///< empty where it measures the file's pairs as they stand
  std::string out;
};

/** Adds --poses and --out. */
void AddBulkOptions(CLI::App* command, BulkOptions* options);

/** The one pair of a file, and where its first solid goes. */
struct BulkPair {
  std::string name;
  std::vector<geometry::Cell> a, b;
  Pose X_WB;               ///< as the file has it
  std::vector<Pose> X_WA;  ///< from the array: poses of A in B
};

/** Poses that are measured between two writes. */
inline constexpr std::size_t kPosesAtOnce = 65536;

/** Reads the one pair of `file` and an n × 7 array of poses (position, quaternion w x y z of A in
 B); makes sure that the results' file is named and is none of the files that are read.
 @throws host::InputError for bad arrays, several pairs, zero quaternions. */
BulkPair ReadBulk(const PairsFile& file, const std::string& file_name, const BulkOptions& options);

/** A column of the results. */
struct ColumnSpec {
  const char* name;
  int width;
  const char* units;
  bool integer = false;
};

/** Results in rows: HDF5, or .npz where the file's name says so. */
class BulkRows {
 public:
  /** Makes the file. @throws host::InputError when it cannot be written. */
  BulkRows(const std::string& path, const char* schema, std::span<const ColumnSpec> columns,
           std::size_t rows);

  /** Adds a row's numbers to a column. */
  void Put(std::size_t column, std::span<const double> row);
  /** Adds one integer to an integer column. */
  void PutInteger(std::size_t column, std::int64_t value);
  /** Writes what is in memory. */
  void Flush() { npz_ ? npz_->Flush() : hdf5_->Spill(); }
  /** Writes all, after which others can read it. */
  void Close() { npz_ ? npz_->Close() : hdf5_->Flush(); }

 private:
  std::optional<NpzFile> npz_;
  std::optional<host::ColumnFile> hdf5_;
  std::vector<int> numbers_;
};

/** Prints how many poses went where. */
void SayWritten(const BulkPair& pair, const std::string& out);

/** Calls measure(X_WA, X_WB) for stretches of the poses, writes after each, and says so at
 the end. */
template <class Measure>
void InStretches(const BulkPair& pair, const std::string& out, BulkRows* rows,
                 const Measure& measure) {
  for (std::size_t begin = 0; begin < pair.X_WA.size(); begin += kPosesAtOnce) {
    const std::size_t count = std::min(pair.X_WA.size() - begin, kPosesAtOnce);
    measure(std::span(pair.X_WA).subspan(begin, count), std::vector<Pose>(count, pair.X_WB));
    rows->Flush();
  }
  rows->Close();
  SayWritten(pair, out);
}

/** Measures the overlaps of a pair at each of its poses and writes columns to `out`, in the world
 axes that the pair's pose_b gives.
 @return the exit status: 1 when some pose has neither ok nor disjoint. */
int MeasureBulk(const Engine& engine, const BulkPair& pair, const std::string& out,
                const host::MeasureOptions& options);

}  // namespace intervox::cli
