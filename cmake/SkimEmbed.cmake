# skim_embed(FOLDER FILE): generates a source that embeds the files of the directory and the file; see Embed.cmake.
function(skim_embed folder file)
  set(out ${CMAKE_BINARY_DIR}/embedded/page.cpp)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DWEB=${CMAKE_SOURCE_DIR}/${folder} -DDESCRIPTION=${CMAKE_SOURCE_DIR}/${file} -DOUT=${out}
            -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/${file} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    VERBATIM)
  set(SKIM_LIBRARY_SOURCES ${SKIM_LIBRARY_SOURCES} ${out} PARENT_SCOPE)
endfunction()
