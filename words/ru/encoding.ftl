encoding-not-utf8 = это не текст в UTF-8 (байт { $byte } в строке { $line }): сохраните файл в UTF-8 или перекодируйте его, например командой `iconv -f WINDOWS-1251 -t UTF-8`
encoding-utf32 = это текст в UTF-32: сохраните файл в UTF-8
encoding-utf16 = это текст в UTF-16: сохраните файл в UTF-8
