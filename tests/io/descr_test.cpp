#include "tscatter/io/formats/npy/descr.hpp"

#include <algorithm>
#include <bit>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/expected.hpp"

namespace tscatter {
namespace {

ElementType type_in(const std::string& text) { return element_type_of(parse_python_literal(text)); }

std::string rewritten(const std::string& text) { return descr_text(type_in(text)); }

// As it is written on this machine.
std::string native(std::string text) {
  if (std::endian::native == std::endian::big) std::ranges::replace(text, '<', '>');
  return text;
}

std::string refused_descr(const std::string& text) {
  try {
    return "accepted as " + rewritten(text);
  } catch (const DescrError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a descr of a number is read with its byte order", "[io]") {
  CHECK(type_in("'<f4'") == ElementType::of(DType::float32, std::endian::little));
  CHECK(type_in("'>f4'") == ElementType::of(DType::float32, std::endian::big));
  CHECK(type_in("'=f4'") == ElementType::of(DType::float32));
  CHECK(type_in("'f4'") == ElementType::of(DType::float32));
  CHECK(type_in("'|u1'") == ElementType::of(DType::uint8));
  CHECK(type_in("'>u1'") == ElementType::of(DType::uint8));
  CHECK(type_in("'>c16'") == ElementType::of(DType::complex128, std::endian::big));
}

TEST_CASE("what is only moved keeps its descr, as NumPy writes it", "[io]") {
  CHECK(rewritten("'S5'") == "'|S5'");
  CHECK(rewritten("'<S5'") == "'|S5'");
  CHECK(rewritten("'a5'") == "'|S5'");
  CHECK(rewritten("'>U5'") == "'>U5'");
  CHECK(rewritten("'=U5'") == native("'<U5'"));
  CHECK(rewritten("'<V7'") == "'|V7'");
  CHECK(rewritten("'M8[1s]'") == native("'<M8[s]'"));
  CHECK(rewritten("'>M8[25ms]'") == "'>M8[25ms]'");
  CHECK(rewritten("'<m8'") == "'<m8'");
  CHECK(rewritten("'f1'") == "'<f1'");
  CHECK(rewritten("'<f16'") == "'<f16'");
}

TEST_CASE("what is written again reads back as the same", "[io]") {
  for (const std::string text :
       {"'>f1'", "'>S5'", "'>a5'", "'>V1'", "'>V2'", "'=V2'", "'<V2'", "'>V3'", "'>U5'", "'=U5'",
        "'>M8[s]'", "'m8'", "'>f16'", "'=c32'"}) {
    INFO(text);
    CHECK(type_in(rewritten(text)) == type_in(text));
  }
  CHECK(rewritten("'>V2'") == "'>V2'");  // a bfloat16, perhaps
  CHECK(rewritten("'>V3'") == "'|V3'");
}

TEST_CASE("sizes of what is only moved", "[io]") {
  CHECK(type_in("'|S5'").size == 5);
  CHECK(type_in("'<U5'").size == 20);
  CHECK(type_in("'<M8[ns]'").size == 8);
  CHECK(type_in("'<f1'").size == 1);
  CHECK(type_in("'<c32'").size == 32);
  CHECK(type_in("[('a', '<f4'), ('b', '|S3', (2, 3))]").size == 22);
  CHECK(type_in("[('a', [('x', '<f8'), ('y', '|u1')], (3,))]").size == 27);
}

TEST_CASE("records are written as NumPy writes them, whatever their spacing", "[io]") {
  CHECK(rewritten("[('a','<f4'),(\"b\",'=i4',(2,)) ,]") ==
        "[('a', '<f4'), ('b', " + native("'<i4'") + ", (2,))]");
  CHECK(rewritten("[('a', '<f4', ())]") == "[('a', '<f4')]");
  CHECK(rewritten("[('a', '|i1', (2, 3))]") == "[('a', '|i1', (2, 3))]");
  CHECK(rewritten("[(\"it's\", '<f4')]") == "[(\"it's\", '<f4')]");
}

TEST_CASE("the padding of a record has no name, and is written as it was read", "[io]") {
  const std::string aligned =
      "[('a', '|u1'), ('', '|V3'), ('b', '<f4'), ('c', '|i1'), ('', '|V3')]";
  CHECK(rewritten(aligned) == aligned);
  CHECK(type_in(aligned).size == 12);
  CHECK(rewritten("[('', '<V3'), ('p', [('x', '|u1'), ('', 'V1')], (2,))]") ==
        "[('', '|V3'), ('p', [('x', '|u1'), ('', '|V1')], (2,))]");
  for (const std::string field : {"'<f4'", "'|S3'", "'>V2'", "[('x', '|u1')]", "'|V3', (2,)"}) {
    CHECK(refused_descr("[('a', '|u1'), ('', " + field + ")]") == "a field without a name");
  }
}

TEST_CASE("a descr that names no dtype of fixed size is refused", "[io]") {
  for (const std::string& text :
       split_words("|O |S0 |V0 <U0 <float32 bytes S bfloat16 M[ns] datetime64[] <f3 <i16 '' < <f4x "
                   "<M4[s] <M8[q] <M8[0s] <M8[-1s] <f-4 |V2147483649 |S99999999999999999999 <W4")) {
    CHECK(refused_descr("'" + text + "'") == "'" + text + "'");
  }
}

TEST_CASE("npy.f5: a dtype has the names and letters that numpy.dtype takes", "[io]") {
  const auto names = expected_in(TSCATTER_NPY_DIR, "names");
  REQUIRE(names.size() > 250);
  for (const auto& row : names) {
    const auto text = row.at("text").get<std::string>();
    CAPTURE(text);
    const std::string got = refused_descr("'" + text + "'");
    if (row.at("dtype").is_null()) {
      CHECK(got == "'" + text + "'");
    } else {
      const bool has_order = text[0] == '<' || text[0] == '>';
      const auto wanted = row.at("dtype").get<std::string>();
      CHECK(to_string(type_in("'" + text + "'")) == (has_order ? wanted : native(wanted)));
    }
  }
  CHECK(type_in("'>d'") == ElementType::of(DType::float64, std::endian::big));
  CHECK_THROWS_AS(type_of_code("float32"), DescrError);
  CHECK_THROWS_AS(type_of_code("|S0"), DescrError);
  CHECK(type_of_code("<f4").dtype == DType::float32);
}

TEST_CASE("npy.f5: a field of a record may have no bytes, a whole record not", "[io]") {
  for (const std::string text : {"[('a', '|u1'), ('b', '|S0')]", "[('a', '|u1'), ('b', '>U0')]",
                                 "[('a', '|u1'), ('b', '|V0')]", "[('a', '|u1'), ('b', [])]",
                                 "[('a', '|u1'), ('b', [('c', '|S0')], (1000000000,))]"}) {
    CHECK(rewritten(text) == text);
    CHECK(type_in(text).size == 1);
  }
  CHECK(rewritten("[('a', '|u1'), ('', '|V0')]") == "[('a', '|u1')]");
  CHECK(refused_descr("[('a', '|S0'), ('b', [])]") == "a record of size 0");
  CHECK(refused_descr("[('a', '|u1'), ('b', '|S0', (2,))]") == "a field with a wrong shape");
}

TEST_CASE("npy.f5: a field may have a title, and any name that np.save writes", "[io]") {
  for (const std::string text : {R"([(('the first', 'a'), '<f4'), ('b', '<i4')])",
                                 R"([('it\'s "x"', '<f4')])", R"([('a\n\xa0\\b', '<f4')])"})
    CHECK(rewritten(text) == text);
  CHECK(rewritten(R"([('\x41\u200B', '<f4')])") == R"([('A\u200b', '<f4')])");
  CHECK(refused_descr("[('a', '<f4'), (('a', 'b'), '<f4')]") == "the field 'a' twice");
  CHECK(refused_descr("[(('t', ''), '<f4')]") == "a field without a name");
  CHECK(refused_descr("[(('t', 'a', 'b'), '<f4')]") == "a field whose name is no string");
}

TEST_CASE("a descr that is no string, no record, or too large is refused", "[io]") {
  CHECK(refused_descr("'|V2147483647'") == "accepted as '|V2147483647'");
  CHECK(refused_descr("1") == "a descr that is neither a string nor a list");
  CHECK(refused_descr("('<f4', (2,))") == "a subarray");
  CHECK(refused_descr("[]") == "a record of size 0");
  CHECK(refused_descr("[('', '<f4')]") == "a field without a name");
  CHECK(refused_descr("[('a', '<f4'), ('a', '<f4')]") == "the field 'a' twice");
  CHECK(refused_descr("[('a', '|O')]") == "'|O'");
  CHECK(refused_descr("[('a', '|V2147483647'), ('b', '|V2')]") == "a record of over 2 GiB");
  CHECK(refused_descr("[('a', '<f4', (9223372036854775807, 2))]") == "a field with a wrong shape");
}

TEST_CASE("an element that memory cannot address is refused", "[io]") {
  const bool is_64_bit = sizeof(std::size_t) == 8;
  for (const std::string text : {"'|V2147483648'", "'<U1073741824'", "'<U2147483648'"}) {
    CHECK(refused_descr(text) == (is_64_bit ? "accepted as " + text : text));
  }
  CHECK(refused_descr("[('a', '|V2147483648'), ('b', '|u1')]") ==
        (is_64_bit ? "a record of over 2 GiB" : "'|V2147483648'"));
  CHECK(
      refused_descr("[('a', '|V2147483647'), ('b', '|u1')]") ==
      (is_64_bit ? "accepted as [('a', '|V2147483647'), ('b', '|u1')]" : "a record of over 2 GiB"));
}

TEST_CASE("a refused descr is named to its last character", "[io]") {
  CHECK(refused_descr(std::string("'<f4\0x'", 7)) == "'<f4\\x00x'");
}

}  // namespace tscatter
