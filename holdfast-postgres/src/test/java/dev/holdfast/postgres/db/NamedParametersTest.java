package dev.holdfast.postgres.db;

import static org.assertj.core.api.Assertions.assertThat;

import org.jdbi.v3.core.statement.ColonPrefixSqlParser;
import org.jdbi.v3.core.statement.ParsedSql;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedParametersTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 1",
        "select :a, :b_2, :a",
        "select :ids::uuid[], ranks[:start], array[1, 2]::int[]",
        "select ':no', 'it''s :no', \"col:no\", :yes",
        "select '${schema}.job'::regclass, o ~ '_[0-9]{8}$' and o = :name",
        "select 1 -- :no\n, :yes",
        "select /* :no ? */ :yes",
        "select ?, ?::text, '?'",
        "select j ?? 'a', :b",
        "select a from t where x >= :from and x <:to",
        "update t set a = :a, b = case when c then :b end\nwhere d = any(:d::text[])",
        ":a"
      })
  void statementsAreReadAsTheLexerOfJdbiReadsThem(String sql) {
    ParsedSql expected = new ColonPrefixSqlParser().parse(sql, null);

    ParsedSql parsed = new NamedParameters().parse(sql, null);

    assertThat(parsed.getSql()).isEqualTo(expected.getSql());
    assertThat(parsed.getParameters()).isEqualTo(expected.getParameters());
  }

  @Test
  void aTextThatDoesNotEndIsLeftToTheServer() {
    String sql = "select 'open :no";

    assertThat(new NamedParameters().parse(sql, null).getSql()).isEqualTo(sql);
  }
}
