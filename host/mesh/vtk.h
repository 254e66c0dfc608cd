/** @file Files of the Visualization Toolkit, for ParaView: XML PolyData and series of them. */
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "geometry/linear.h"

namespace intervox::host {

/** Numbers for each point or each cell, `width` of them in a row. */
struct VtkArray {
  std::string name;
  int width = 1;
  std::vector<double> values;
  bool integer = false;
};

/** What a .vtp file holds: points, and either polygons over them or each point as a cell. */
struct VtkPolyData {
  std::vector<Vec3> points;                ///< [m]
  std::vector<std::vector<int>> polygons;  ///< counter-clockwise seen from outside
  bool points_are_cells = false;
  std::vector<VtkArray> of_points;
  std::vector<VtkArray> of_cells;
};

/** Writes one file, as text. @throws std::runtime_error when the disk is full. */
void WriteVtp(const std::filesystem::path& path, const VtkPolyData& data);

/** A part of a series: times [s] and the files beside the series that hold them. */
using VtkPart = std::vector<std::pair<double, std::string>>;

/** Writes a series (.pvd) of one or more parts; one file may serve at many times.
 @throws std::runtime_error when the disk is full. */
void WritePvd(const std::filesystem::path& path, std::span<const VtkPart> parts);

}  // namespace intervox::host
