// Requests injected into the server without a socket.
import type { InjectOptions } from 'fastify'
import type { App } from '../../src/http/route.ts'
import { keys } from './http-server.ts'

export const local = { host: 'localhost:8080' }
export const pusher = { 'x-api-key': keys.pusher }
export const admin = { authorization: `Bearer ${keys.admin}` }
export const select = '/consumer/data/select'
export const push = '/ingests/plant/data'
export const post = (url: string, payload: InjectOptions['payload'], headers = {}): InjectOptions => ({
  method: 'POST',
  url,
  payload,
  headers: { ...local, ...headers },
})
export const get = (url: string, headers = {}): InjectOptions => ({
  method: 'GET',
  url,
  headers: { ...local, ...headers },
})
/** A method that the type of injected requests lacks. */
export const unusual = (method: string, url: string): InjectOptions => ({ ...get(url), method: method as 'GET' })

/** The server's response; `code` is the Problem's code, or null for any other response. */
export async function outcomeOn(server: App, request: InjectOptions) {
  const response = await server.inject(request)
  const isProblem = response.headers['content-type'] === 'application/problem+json'
  return { status: response.statusCode, code: isProblem ? response.json<{ code: string }>().code : null, response }
}
