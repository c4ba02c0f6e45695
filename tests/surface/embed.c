/*
** A program that has libautocdc.a built in: prints autocdc_version() of a
** connection that got it from sqlite3_auto_extension().
*/
#include "autocdc.h"
#include <stdio.h>

int main(void){
  sqlite3 *db = 0;
  sqlite3_stmt *pStmt = 0;
  int rc = 1;
  sqlite3_auto_extension((void(*)(void))sqlite3_autocdc_init);
  if( sqlite3_open(":memory:", &db)==SQLITE_OK
   && sqlite3_prepare_v2(db, "SELECT autocdc_version()", -1, &pStmt, 0)==SQLITE_OK
   && sqlite3_step(pStmt)==SQLITE_ROW ){
    printf("%s\n", (const char*)sqlite3_column_text(pStmt, 0));
    rc = 0;
  }else{
    printf("%s\n", sqlite3_errmsg(db));
  }
  sqlite3_finalize(pStmt);
  sqlite3_close(db);
  return rc;
}
