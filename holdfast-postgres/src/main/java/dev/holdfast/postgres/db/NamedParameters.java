package dev.holdfast.postgres.db;

import org.jdbi.v3.core.statement.ParsedSql;
import org.jdbi.v3.core.statement.SqlParser;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * Finds the parameters of statements: {@code :name}, or {@code ?} by position. What is quoted or in
 * a comment is left as it is, and so is the cast {@code ::}.
 *
 * <p>The parser of Jdbi reads a statement with a generated lexer, which takes 100 ms of the start
 * of a process for the statements that come before its first job. This one is fast enough to need
 * no cache.
 */
final class NamedParameters implements SqlParser {

  @Override
  public ParsedSql parse(String sql, @Nullable StatementContext context) {
    ParsedSql.Builder parsed = ParsedSql.builder();
    int from = 0; // What is before it has been appended.
    int at = 0;
    while (at < sql.length()) {
      int end = endOfText(sql, at);
      if (end > at) {
        at = end;
      } else if (isParameter(sql, at)) {
        int after = endOfName(sql, at + 1);
        parsed.append(sql.substring(from, at)).appendNamedParameter(sql.substring(at + 1, after));
        from = after;
        at = after;
      } else if (sql.charAt(at) == '?') {
        parsed.append(sql.substring(from, at)).appendPositionalParameter();
        from = ++at;
      } else {
        at++;
      }
    }
    return parsed.append(sql.substring(from)).build();
  }

  /** Returns the end of the text, the comment or the operator that starts here, if one does. */
  private static int endOfText(String sql, int at) {
    return switch (sql.charAt(at)) {
      case '\'', '"' -> after(sql, sql.substring(at, at + 1), at + 1);
      case '-' -> sql.startsWith("--", at) ? after(sql, "\n", at) : at;
      case '/' -> sql.startsWith("/*", at) ? after(sql, "*/", at + 2) : at;
      case ':' -> sql.startsWith("::", at) ? at + 2 : at;
      case '?' -> sql.startsWith("??", at) ? at + 2 : at; // The driver makes it a single one.
      default -> at;
    };
  }

  private static int after(String sql, String end, int at) {
    int found = sql.indexOf(end, at);
    return found < 0 ? sql.length() : found + end.length();
  }

  private static boolean isParameter(String sql, int at) {
    return sql.charAt(at) == ':' && endOfName(sql, at + 1) > at + 1;
  }

  private static int endOfName(String sql, int at) {
    int end = at;
    while (end < sql.length() && isOfName(sql.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isOfName(char one) {
    return (one >= 'a' && one <= 'z')
        || (one >= 'A' && one <= 'Z')
        || (one >= '0' && one <= '9')
        || one == '_';
  }

  @Override
  public String nameParameter(String name, @Nullable StatementContext context) {
    return ":" + name;
  }
}
