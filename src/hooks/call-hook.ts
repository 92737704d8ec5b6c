// One call of a hook: a signed event, posted to an address that the settings allow. Only the status of the response is read.
import { createHmac } from 'node:crypto'
import { lookup as lookUpName } from 'node:dns'
import { type ClientRequest, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import type { LookupFunction } from 'node:net'
import { addressFault, isPublicAddress, notPublic } from '../lib/public-address.ts'

export interface HookCall {
  readonly url: string
  readonly secret: string | null
  readonly body: string
  /** The time of the signature. */
  readonly nowMs: number
}

export interface CallParts {
  /** Whether a hook may be on this machine or in a private network. */
  readonly privateAddresses: boolean
  /** The time limit from the name lookup to the status of the response. */
  readonly timeoutMs: number
  readonly userAgent: string
  /** Aborts the call. */
  readonly stop?: AbortSignal
  /** Replaces dns.lookup. */
  readonly lookup?: typeof lookUpName
}

/** `status` is null if there was no response; `error` is null on success. */
export interface CallOutcome {
  readonly status: number | null
  readonly error: string | null
}

/** Never rejects. Redirects are not followed, and only the head of the response is read. */
export async function callHook(call: HookCall, parts: CallParts): Promise<CallOutcome> {
  try {
    const status = await statusOf(call, parts)
    const isOk = status >= 200 && status < 300
    return { status, error: isOk ? null : `the answer was ${status}${redirectAdvice(status)}` }
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : String(error) }
  }
}

function redirectAdvice(status: number): string {
  return status >= 300 && status < 400
    ? ', and redirects are not followed: give the hook the address that it leads to'
    : ''
}

function statusOf({ url, secret, body, nowMs }: HookCall, parts: CallParts): Promise<number> {
  const { privateAddresses, timeoutMs, userAgent, lookup = lookUpName, stop } = parts
  const target = new URL(url)
  // A host that is an IP address is not looked up, so it is checked here.
  const refused = privateAddresses ? null : addressFault(target)
  if (refused !== null) return Promise.reject(new Error(`${refused}: hooks.privateAddresses is false`))
  const seconds = Math.floor(nowMs / 1000)
  const bytes = Buffer.from(body)
  const timeout = AbortSignal.timeout(timeoutMs)
  const options = {
    method: 'POST',
    agent: false,
    signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
    lookup: privateAddresses ? undefined : publicLookup(lookup),
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': bytes.length,
      'User-Agent': userAgent,
      ...(secret === null
        ? {}
        : { 'Tidemark-Signature': `t=${seconds},v1=${signatureOf(secret, `${seconds}.${body}`)}` }),
    },
  }
  return new Promise((resolve, reject) => {
    const request: ClientRequest =
      target.protocol === 'https:' ? requestSecure(target, options) : requestPlain(target, options)
    request.on('response', (response) => {
      resolve(response.statusCode ?? 0)
      // The body of the response is not needed.
      response.destroy()
    })
    request.on('error', (error) => reject(timeout.aborted ? new Error(`no answer in ${timeoutMs} ms`) : error))
    request.end(bytes)
  })
}

function signatureOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex')
}

/** Looks a name up, and gives the socket the addresses that were checked, so that no later, different DNS response is used. */
function publicLookup(lookup: typeof lookUpName): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const refused = found?.find(({ address }) => !isPublicAddress(address))
      const [first] = found ?? []
      if (error !== null) done(error, '')
      else if (refused !== undefined)
        done(new Error(`${hostname}: ${notPublic(refused.address)}: hooks.privateAddresses is false`), '')
      else if (first === undefined) done(new Error(`${hostname} has no address`), '')
      else if (options.all === true) done(null, found)
      else done(null, first.address, first.family)
    })
  }
}
