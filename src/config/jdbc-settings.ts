// The settings of JDBC (Avatica's protocol), for the table in settings.ts.
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { integer, type Setting } from './setting.ts'

export const jdbcSettings = {
  'jdbc.connections': integer({
    default: 1000,
    unit: 'connections',
    min: 1,
    max: 100_000,
    description: 'The most open JDBC connections of this process. Opening another one is an error.',
  }),
  'jdbc.ownConnections': integer({
    default: 100,
    unit: 'connections',
    min: 1,
    max: 100_000,
    description:
      'The most of them for one subscriber, or for one address if reading is public. Opening another one is an error.',
  }),
  'jdbc.statements': integer({
    default: 100,
    unit: 'statements',
    min: 1,
    max: 10_000,
    description: 'The most open statements of a JDBC connection. Creating another one is an error.',
  }),
  'jdbc.idleMs': integer({
    default: 300_000,
    unit: 'milliseconds',
    min: 1000,
    max: longestMs,
    description: 'The longest that a JDBC connection may stay unused. After that it is closed, with its statements.',
  }),
  'jdbc.frameRows': integer({
    default: 5000,
    unit: 'rows',
    min: 1,
    max: 100_000,
    description:
      "The most rows in one answer to a JDBC driver's request. A request for fewer than 5,000 rows gets 5,000 if this allows it: drivers request 100 by default.",
  }),
  'jdbc.frameBytes': integer({
    default: 4 * mebibyte,
    unit: 'bytes',
    min: 1024,
    max: gibibyte,
    description: 'The most bytes of rows in one answer to a JDBC request. It always has at least one row.',
  }),
  'jdbc.heldBytes': integer({
    default: gibibyte,
    small: 64 * mebibyte,
    unit: 'bytes',
    min: mebibyte,
    max: 1024 * gibibyte,
    description:
      'The most bytes of open JDBC statements: answers that are not read to their end, columns, and texts of prepared statements. One subscriber gets at most three quarters. Beyond it executing is an error.',
  }),
  'jdbc.bodiesBytes': integer({
    default: 64 * mebibyte,
    unit: 'bytes',
    min: mebibyte,
    max: 64 * gibibyte,
    description: 'Memory for the bodies of all JDBC requests in flight. Beyond it a request gets a 503.',
  }),
} satisfies Record<string, Setting>
