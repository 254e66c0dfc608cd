/** @file The table of keys as a page for people. */
#pragma once

#include <string>

namespace intervox::host {

/** Markdown: one table for each object of the table of keys, roots first. */
std::string KeyReference();

}  // namespace intervox::host
