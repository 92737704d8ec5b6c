import pg from 'pg'
import { expect, test } from 'vitest'
import { Problem } from '../../model/problem.ts'
import { TransactionConflict } from '../repositories/transactions.ts'
import { isLost, translated } from './errors.ts'

const fromServer = (code: string): Error =>
  Object.assign(new pg.DatabaseError('as the server says', 0, 'error'), { code })
const fromSocket = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code })

test.each<[string, Error, string, boolean]>([
  ['a serialization failure', fromServer('40001'), 'again', false],
  ['a deadlock', fromServer('40P01'), 'again', false],
  ['a unique violation', fromServer('23505'), 'conflict', false],
  ['a statement timeout', fromServer('57014'), 'unavailable', false],
  ['a lock timeout', fromServer('55P03'), 'unavailable', false],
  ['a read-only server', fromServer('25006'), 'unavailable', false],
  ['a server that is shutting down', fromServer('57P01'), 'unavailable', true],
  ['a server that is starting up', fromServer('57P03'), 'unavailable', true],
  ['too many connections', fromServer('53300'), 'unavailable', true],
  ['a changed password', fromServer('28P01'), 'unavailable', true],
  ['a refused connection', fromSocket('ECONNREFUSED'), 'unavailable', true],
  ['a connection reset', fromSocket('ECONNRESET'), 'unavailable', true],
  ['an unknown host', fromSocket('ENOTFOUND'), 'unavailable', true],
  ['a self-signed certificate', fromSocket('DEPTH_ZERO_SELF_SIGNED_CERT'), 'unavailable', true],
  ['a terminated connection', new Error('Connection terminated unexpectedly'), 'unavailable', true],
  ['a server that does not respond', new Error('Query read timeout'), 'unavailable', true],
  ['all connections in use', new Error('timeout exceeded when trying to connect'), 'unavailable', true],
  ['a syntax error in our own SQL', fromServer('42601'), 'itself', false],
  ['a bug in our own program', new TypeError('x is not a function'), 'itself', false],
])('%s', (_, error, outcome, lost) => {
  const thrown = translated(error)
  const name =
    thrown instanceof TransactionConflict
      ? 'again'
      : thrown instanceof Problem
        ? thrown.code
        : thrown === error && 'itself'
  expect([name, isLost(error)]).toEqual([outcome, lost])
})
