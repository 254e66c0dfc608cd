#include "host/scene/key_reference.h"

#include <algorithm>
#include <cstdio>

#include "host/scene/keys.h"

namespace intervox::host {
namespace {

std::string Number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", x);
  return text;
}

std::string RangeText(const Range& range) {
  const bool bounded_above = range.hi < 1e6;
  if (range.lo == 0 && !bounded_above) return range.open ? ", above 0" : ", 0 or more";
  if (!bounded_above) return range.lo > 0 ? ", " + Number(range.lo) + " or more" : "";
  return ", " + Number(range.lo) + " … " + Number(range.hi);
}

std::string Link(const std::string& object) { return "[" + object + "](#" + object + ")"; }

std::string TypeText(const Key& key) {
  switch (key.type) {
    case Type::kNumber:
      return "number" + RangeText(key.range);
    case Type::kVector:
      return "3 numbers" + RangeText(key.range);
    case Type::kNumberOrVector:
      return "1 or 3 numbers" + RangeText(key.range);
    case Type::kNumberOrObject:
      return "number" + RangeText(key.range) + ", or " + Link(key.of);
    case Type::kNumberList:
      return "list of at least " + std::to_string(key.count) + " numbers" + RangeText(key.range);
    case Type::kNumbers:
      return std::to_string(key.count) + " numbers";
    case Type::kInertia:
      return "3 numbers, or 3 rows of 3";
    case Type::kPoints:
      return "list of 3 numbers each, at least " + std::to_string(key.count);
    case Type::kBool:
      return "true or false";
    case Type::kString:
      return "word";
    case Type::kStrings:
      return "list of words";
    case Type::kChoice: {
      std::string text;
      for (const std::string& word : Choices(key.of)) {
        text += (text.empty() ? "`" : ", `") + word + "`";
      }
      return text;
    }
    case Type::kObject:
      return Link(key.of);
    case Type::kObjects:
      return "list of " + Link(key.of);
    case Type::kNamed:
      return "names of " + Link(key.of);
    case Type::kShape:
      return "name, or " + Link("shape");
    case Type::kShapes:
      return "list of names or " + Link("shape");
    case Type::kShapesMap:
      return "names of " + Link("shape") + ", and `include`";
    case Type::kWords:
      return "names of words";
    case Type::kValue:
      return "any value";
    case Type::kValues:
      return "list of any values";
    case Type::kParameter:
      return "number or word";
  }
  return "";
}

std::string Listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "`" : ", `") + word + "`";
  return text;
}

}  // namespace

std::string KeyReference() {
  std::string text;
  std::vector<const Object*> objects;
  for (const Object& object : Objects()) objects.push_back(&object);
  std::reverse(objects.begin(), objects.end());  // roots last in the table, first for readers
  for (const Object* object : objects) {
    text += "### " + object->name + "\n" + object->doc + "\n";
    if (!object->exactly_one.empty()) {
      text += "Exactly one of " + Listed(object->exactly_one) + ".\n";
    }
    if (!object->at_most_one.empty()) {
      text += "At most one of " + Listed(object->at_most_one) + ".\n";
    }
    if (object->open) text += "Further keys are parameters of the named model.\n";
    text += "\n| key | value | meaning |\n| --- | --- | --- |\n";
    for (const Key& key : object->keys) {
      text += "| `" + key.name + "`" + (key.required ? " (required)" : "") + " | " + TypeText(key) +
              " | " + key.doc + " |\n";
    }
    text += "\n";
  }
  return text;
}

}  // namespace intervox::host
