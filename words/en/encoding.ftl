encoding-not-utf8 = it is not text in UTF-8 (byte { $byte } in line { $line }): save it as UTF-8, or convert it from the encoding that it has, for example with `iconv -f WINDOWS-1251 -t UTF-8`
encoding-utf32 = it is text in UTF-32: save it as UTF-8
encoding-utf16 = it is text in UTF-16: save it as UTF-8
