/** @file Files and folders that tests leave in the temporary folder. */
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace intervox {

namespace fs = std::filesystem;

/** An empty folder of that name. */
inline fs::path Folder(const std::string& name) {
  fs::path folder = fs::path(::testing::TempDir()) / ("intervox_test_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

/** Writes a file and returns its path. */
inline std::string Write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
  return path.string();
}

/** All that a file holds. */
inline std::string TextOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace intervox
