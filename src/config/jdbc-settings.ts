// The settings of JDBC, by Avatica's protocol: a part of the table in settings.ts.
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { integer, type Setting } from './setting.ts'

export const jdbcSettings = {
  'jdbc.connections': integer({
    default: 1000,
    unit: 'connections',
    min: 1,
    max: 100_000,
    description: 'How many JDBC connections are open at once, in this process. Past that opening one is an error.',
  }),
  'jdbc.ownConnections': integer({
    default: 100,
    unit: 'connections',
    min: 1,
    max: 100_000,
    description:
      'How many of them one subscriber may have, or one address if reading is public. Past that opening one is an error.',
  }),
  'jdbc.statements': integer({
    default: 100,
    unit: 'statements',
    min: 1,
    max: 10_000,
    description: 'How many statements a JDBC connection may have open. Past that making one is an error.',
  }),
  'jdbc.idleMs': integer({
    default: 300_000,
    unit: 'milliseconds',
    min: 1000,
    max: longestMs,
    description: 'How long a JDBC connection may go unused. After that it is closed, with its statements.',
  }),
  'jdbc.frameRows': integer({
    default: 5000,
    unit: 'rows',
    min: 1,
    max: 100_000,
    description: 'The most rows that one request of a JDBC driver gets.',
  }),
  'jdbc.frameRowsMin': integer({
    default: 5000,
    unit: 'rows',
    min: 1,
    max: 100_000,
    description:
      'How many rows a request gets that asks for fewer, up to `jdbc.frameRows`: drivers ask for 100 where nothing is set.',
  }),
  'jdbc.frameBytes': integer({
    default: 4 * mebibyte,
    unit: 'bytes',
    min: 1024,
    max: gibibyte,
    description: 'The size of rows at which what one request gets ends early. It has at least one row.',
  }),
  'jdbc.heldBytes': integer({
    default: gibibyte,
    unit: 'bytes',
    min: mebibyte,
    max: 1024 * gibibyte,
    description:
      'How large the answers are together that JDBC statements keep because they are not read to their end, with their columns and the texts of prepared statements. One subscriber gets at most three quarters. Past that executing is an error.',
  }),
  'jdbc.bodiesBytes': integer({
    default: 64 * mebibyte,
    unit: 'bytes',
    min: mebibyte,
    max: 64 * gibibyte,
    description:
      'The most memory that the bodies of all JDBC requests in flight take together. Past that a request gets a 503.',
  }),
} satisfies Record<string, Setting>
