// What tools do with JDBC, done with Avatica's own driver. Each command prints one line of JSON for each thing that it saw.
import java.sql.Connection;
import java.sql.Date;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.Properties;
import java.util.TimeZone;

public class JdbcClient {
  static String url;
  static Properties properties = new Properties();

  public static void main(String[] arguments) throws Exception {
    // Times of the driver go by the clocks of its machine: the same on each.
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    String command = arguments[0];
    url = "jdbc:avatica:remote:url=" + arguments[1] + (arguments[1].contains("protobuf") ? ";serialization=protobuf" : "");
    String key = arguments[2];
    if (!key.isEmpty()) {
      properties.setProperty("user", "any");
      properties.setProperty("password", key);
    }
    for (int index = 4; index < arguments.length; index++) {
      int equals = arguments[index].indexOf('=');
      properties.setProperty(arguments[index].substring(0, equals), arguments[index].substring(equals + 1));
    }
    String sql = arguments[3];
    switch (command) {
      case "metadata" -> metadata();
      case "query" -> query(sql);
      case "count" -> count(sql);
      case "prepared" -> prepared(sql);
      case "cancel" -> cancel(sql);
      case "many" -> many(Integer.parseInt(sql));
      case "revoked" -> revoked(sql);
      default -> throw new IllegalArgumentException(command);
    }
  }

  static Connection open() throws SQLException {
    return DriverManager.getConnection(url, properties);
  }

  /** As DBeaver looks around when it connects. */
  static void metadata() throws SQLException {
    try (Connection connection = open()) {
      DatabaseMetaData metadata = connection.getMetaData();
      line("autoCommit", connection.getAutoCommit(), "readOnly", connection.isReadOnly(), "catalog", connection.getCatalog(),
          "schema", connection.getSchema(), "isolation", connection.getTransactionIsolation());
      line("hasStringFunctions", metadata.getStringFunctions().contains("UPPER"),
          "hasNumericFunctions", metadata.getNumericFunctions().contains("ABS"),
          "hasTimeFunctions", metadata.getTimeDateFunctions().contains("TIME_FLOOR"),
          "hasSystemFunctions", !metadata.getSystemFunctions().isEmpty(), "keywords", metadata.getSQLKeywords());
      rows("catalogs", metadata.getCatalogs(), false);
      rows("schemas", metadata.getSchemas(), false);
      rows("schemas of a catalog", metadata.getSchemas("druid", "dru%"), false);
      rows("table types", metadata.getTableTypes(), false);
      rows("tables", metadata.getTables("druid", "druid", "%", new String[] {"TABLE"}), false);
      rows("all tables", metadata.getTables(null, null, null, null), false);
      rows("no types", metadata.getTables(null, null, null, new String[] {}), false);
      rows("an escaped pattern", metadata.getTables(null, null, "pl\\_nt", null), false);
      rows("a quote", metadata.getTables(null, null, "pl'ant", null), false);
      rows("columns", metadata.getColumns("druid", "druid", "plant", "%"), true);
      rows("one column", metadata.getColumns(null, null, "plant", "V"), false);
      rows("types", metadata.getTypeInfo(), false);
      rows("primary keys", metadata.getPrimaryKeys("druid", "druid", "plant"), false);
      rows("indexes", metadata.getIndexInfo("druid", "druid", "plant", false, true), false);
    }
  }

  static void query(String sql) throws SQLException {
    try (Connection connection = open(); Statement statement = connection.createStatement()) {
      try (ResultSet answer = statement.executeQuery(sql)) {
        rows("query", answer, true);
      }
    } catch (SQLException error) {
      line("error", error.getMessage(), "state", error.getSQLState(), "code", error.getErrorCode());
    }
  }

  /** Reads all rows, and adds up their first column. */
  static void count(String sql) throws SQLException {
    try (Connection connection = open(); Statement statement = connection.createStatement()) {
      long begin = System.nanoTime();
      long rows = 0;
      long sum = 0;
      try (ResultSet answer = statement.executeQuery(sql)) {
        while (answer.next()) {
          rows++;
          sum += answer.getLong(1);
        }
      }
      line("rows", rows, "sum", sum);
      System.err.println(rows + " rows in " + (System.nanoTime() - begin) / 1_000_000 + " ms");
      statement.setMaxRows(7);
      try (ResultSet answer = statement.executeQuery(sql)) {
        int few = 0;
        while (answer.next()) few++;
        line("maxRows", few);
      }
      statement.setMaxRows(0);
      // The rest is left where it is: the same statement is used again, then another.
      try (ResultSet answer = statement.executeQuery(sql)) {
        answer.next();
      }
      try (ResultSet answer = statement.executeQuery(sql); Statement other = connection.createStatement();
          ResultSet second = other.executeQuery(sql)) {
        line("next", answer.next() && second.next());
      }
    }
  }

  /** Binds a value of each type that JDBC has a way to set. */
  static void prepared(String table) throws SQLException {
    try (Connection connection = open()) {
      Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
      String[] wanted = {"VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "TIMESTAMP"};
      for (String type : wanted) {
        try (PreparedStatement statement = connection.prepareStatement("SELECT CAST(? AS " + type + ") AS x")) {
          line("type", type, "parameters", statement.getParameterMetaData().getParameterCount(),
              "column", statement.getMetaData().getColumnTypeName(1));
          statement.setNull(1, Types.VARCHAR);
          rows("null", statement.executeQuery(), false);
          switch (type) {
            case "VARCHAR" -> {
              for (String text : new String[] {"", "it's \"\\ \n ?", "\u00fc\u4e2d\ud83d\ude00", "'; DROP TABLE plant; --"}) {
                statement.setString(1, text);
                rows("text", statement.executeQuery(), false);
              }
              statement.setObject(1, "an object");
              rows("object", statement.executeQuery(), false);
            }
            case "BIGINT" -> {
              statement.setByte(1, (byte) -7);
              rows("byte", statement.executeQuery(), false);
              statement.setShort(1, (short) 300);
              rows("short", statement.executeQuery(), false);
              statement.setInt(1, Integer.MIN_VALUE);
              rows("int", statement.executeQuery(), false);
              for (long number : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, 9_007_199_254_740_993L}) {
                statement.setLong(1, number);
                rows("long", statement.executeQuery(), false);
              }
              statement.setObject(1, 5L);
              rows("object", statement.executeQuery(), false);
            }
            case "DOUBLE" -> {
              statement.setFloat(1, 1.5f);
              rows("float", statement.executeQuery(), false);
              for (double number : new double[] {0.1, -2.0, 1e300, 4.9e-324}) {
                statement.setDouble(1, number);
                rows("double", statement.executeQuery(), false);
              }
              statement.setBigDecimal(1, new java.math.BigDecimal("12.25"));
              rows("decimal", statement.executeQuery(), false);
            }
            case "BOOLEAN" -> {
              statement.setBoolean(1, true);
              rows("boolean", statement.executeQuery(), false);
            }
            case "TIMESTAMP" -> {
              statement.setTimestamp(1, Timestamp.from(java.time.Instant.parse("2026-03-29T01:30:00.123Z")), utc);
              rows("timestamp", statement.executeQuery(), false);
              statement.setDate(1, new Date(java.time.Instant.parse("2026-03-29T00:00:00Z").toEpochMilli()), utc);
              rows("date", statement.executeQuery(), false);
            }
            default -> throw new IllegalStateException(type);
          }
        }
      }
      try (PreparedStatement statement = connection.prepareStatement("SELECT T, V FROM " + table + " WHERE T = ? AND V >= ? ORDER BY __time LIMIT ?")) {
        statement.setString(1, "a");
        statement.setDouble(2, 0);
        statement.setInt(3, 2);
        rows("where", statement.executeQuery(), true);
        statement.setInt(3, 1);
        rows("again", statement.executeQuery(), false);
        statement.clearParameters();
        try {
          statement.executeQuery();
        } catch (SQLException error) {
          line("unset", error.getMessage());
        }
      }
    }
  }

  /** A query that is cancelled while it is read, and one whose statement is closed while it runs. */
  static void cancel(String sql) throws Exception {
    try (Connection connection = open()) {
      try (Statement statement = connection.createStatement(); ResultSet answer = statement.executeQuery("SELECT 1 AS x")) {
        statement.cancel();
        try {
          answer.next();
          line("cancelled", false);
        } catch (SQLException error) {
          line("cancelled", true);
        }
      }
      Statement slow = connection.createStatement();
      Thread closer = new Thread(() -> {
        try {
          Thread.sleep(500);
          connection.close();
        } catch (Exception error) {
          System.err.println(error);
        }
      });
      closer.start();
      long begin = System.nanoTime();
      try {
        slow.executeQuery(sql);
        line("ended", false);
      } catch (SQLException error) {
        line("ended", true, "error", error.getMessage());
      }
      System.err.println("ended after " + (System.nanoTime() - begin) / 1_000_000 + " ms");
      closer.join();
    }
  }

  /** Opens connections and leaves them open. */
  static void many(int wanted) throws Exception {
    List<Connection> left = new ArrayList<>();
    String refused = null;
    for (int count = 0; count < wanted; count++) {
      try {
        Connection connection = open();
        connection.createStatement();
        left.add(connection);
      } catch (SQLException | RuntimeException error) {
        if (refused == null) refused = error.getMessage();
      }
    }
    line("opened", left.size(), "refused", refused);
    System.in.read();
    try {
      left.get(0).createStatement().executeQuery("SELECT 1 AS x");
      line("first", "still open");
    } catch (SQLException | RuntimeException error) {
      line("first", error.getMessage());
    }
    try (Connection connection = open()) {
      line("after", connection.createStatement().executeQuery("SELECT 1 AS x").next());
    }
  }

  /** Asks before and after a line of the standard input. */
  static void revoked(String sql) throws Exception {
    try (Connection connection = open(); Statement statement = connection.createStatement()) {
      line("before", statement.executeQuery(sql).next());
      System.in.read();
      try {
        statement.executeQuery(sql).next();
        line("after", true);
      } catch (SQLException | RuntimeException error) {
        line("after", error.getMessage());
      }
    } catch (SQLException | RuntimeException error) {
      line("close", error.getMessage());
    }
  }

  static void rows(String name, ResultSet answer, boolean showsTypes) throws SQLException {
    ResultSetMetaData metadata = answer.getMetaData();
    List<Object> columns = new ArrayList<>();
    for (int column = 1; column <= metadata.getColumnCount(); column++) {
      columns.add(showsTypes
          ? metadata.getColumnLabel(column) + " " + metadata.getColumnTypeName(column) + " " + metadata.getColumnClassName(column)
          : metadata.getColumnLabel(column));
    }
    List<Object> rows = new ArrayList<>();
    while (answer.next()) {
      List<Object> row = new ArrayList<>();
      for (int column = 1; column <= metadata.getColumnCount(); column++) {
        Object value = answer.getObject(column);
        // A time as it is, not as the clocks here show it.
        row.add(value instanceof Timestamp at ? at.toInstant().toString() : value);
      }
      rows.add(row);
    }
    answer.close();
    line("name", name, "columns", columns, "rows", rows);
  }

  static void line(Object... pairs) {
    StringBuilder text = new StringBuilder("{");
    for (int index = 0; index < pairs.length; index += 2) {
      if (index > 0) text.append(',');
      text.append(json(pairs[index])).append(':').append(json(pairs[index + 1]));
    }
    System.out.println(text.append('}'));
    System.out.flush();
  }

  static String json(Object value) {
    if (value == null || value instanceof Boolean || value instanceof Integer) return String.valueOf(value);
    if (value instanceof List<?> list) return "[" + String.join(",", list.stream().map(JdbcClient::json).toList()) + "]";
    // A long may have more digits than a number of JSON.
    StringBuilder text = new StringBuilder("\"");
    for (char letter : value.toString().toCharArray()) {
      if (letter == '"' || letter == '\\') text.append('\\').append(letter);
      else if (letter < 32 || letter > 126) text.append(String.format("\\u%04x", (int) letter));
      else text.append(letter);
    }
    return text.append('"').toString();
  }
}
