// Objects in a bucket of S3, or of another store that speaks its protocol.
// Tested by `test/tools/s3.test.ts` and `s3-store.test.ts`.
import { pipeline, Readable, Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { unlessAborted } from '../../lib/cancellation.ts'
import { type ObjectStore, StoreRefused, StoreUnfit } from '../object-store.ts'

export interface S3StoreParts {
  /** As in `s3://bucket/prefix`. */
  readonly url: string
  /** Empty for Amazon's own endpoint. */
  readonly endpoint: string
  /** Empty for the region that AWS's tools would use. */
  readonly region: string
  /** The longest time for one request, including its body. */
  readonly requestMs: number
  readonly limits?: S3Limits
}

/** Bounds of the data accepted from a store. */
export interface S3Limits {
  /** The size of an object. */
  readonly objectBytesMax: number
  /** The size of any other response. */
  readonly responseBytesMax: number
  /** The size of all names of a list. */
  readonly listBytesMax: number
}

const defaultLimits: S3Limits = {
  // The largest push possible (limits.ingestBodyBytes), with the replica's own data about it.
  objectBytesMax: 1024 * 2 ** 20 + 16 * 2 ** 20,
  // A page has a thousand names of at most a kibibyte, and the XML around them.
  responseBytesMax: 16 * 2 ** 20,
  // Some millions of names.
  listBytesMax: 128 * 2 ** 20,
}
/** The least size that a page counts as, because one without names may state that more follows. */
const pageBytesMin = 1024

/** S3 returns 409 while another client writes the same name; a retry shows which one was first. */
const conflictTries = 5
const conflictPauseMs = 100
/** Stores other than Amazon's mostly ignore the region, but it has to be signed. */
const anyRegion = 'us-east-1'
const missingRegion = 'Region is missing'
/** A server between here and the store may return a status of success on its own. */
const notOfStore = 'the answer has status 200 but is not that of an S3 store'

// The client warns about its later versions, which do not matter here: the version is fixed.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'

export class S3Store implements ObjectStore {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #prefix: string
  readonly #requestMs: number
  readonly #limits: S3Limits
  readonly #running = new Set<AbortController>()

  /** Reads credentials from the same sources as AWS's tools. Throws an Error for a wrong address. */
  constructor({ url, endpoint, region, requestMs, limits = defaultLimits }: S3StoreParts) {
    const { bucket, prefix } = parseS3Address(url)
    this.#limits = limits
    this.#bucket = bucket
    this.#prefix = prefix
    this.#requestMs = requestMs
    const place = endpoint === '' ? {} : { endpoint, forcePathStyle: true, region: anyRegion }
    this.#client = new S3Client({
      ...place,
      ...(region === '' ? {} : { region }),
      // Copying and restoring retry on their own, and report it.
      maxAttempts: 1,
      // Each object of a replica contains the checksum of its content, which its reader verifies.
      responseChecksumValidation: 'WHEN_REQUIRED',
    })
    this.#client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const answered = await next(args)
          const bytesMax = commandName === 'GetObjectCommand' ? limits.objectBytesMax : limits.responseBytesMax
          const response = answered.response as { body?: unknown }
          if (response.body instanceof Readable) response.body = upTo(bytesMax, response.body)
          return answered
        },
      // Between the connection and the parsing of responses.
      { step: 'deserialize', name: 'boundedAnswer', priority: 'low' },
    )
  }

  async putIfAbsent(name: string, bytes: Uint8Array): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const status = await this.#put(name, bytes)
      if (status === 200) return true
      if (status === 412) return false
      if (tries === conflictTries) throw new Error(`others write ${this.#where(name)} too: 409 Conflict`)
      await sleep(conflictPauseMs)
    }
  }

  get(name: string): Promise<Uint8Array | null> {
    return this.#request(name, async (abortSignal) => {
      const command = new GetObjectCommand({ ...this.#at(name) })
      try {
        const { Body } = await this.#client.send(command, { abortSignal })
        if (Body === undefined) throw new Error('an answer without a body')
        return await Body.transformToByteArray()
      } catch (error) {
        if (error instanceof S3ServiceException && error.name === 'NoSuchKey') return null
        throw error
      }
    })
  }

  async *list(prefix: string, after?: string): AsyncIterable<string> {
    const wanted = { Bucket: this.#bucket, Prefix: this.#prefix + prefix }
    let next: { readonly StartAfter?: string; readonly ContinuationToken?: string } | null =
      after === undefined ? {} : { StartAfter: this.#prefix + after }
    const { listBytesMax } = this.#limits
    let bytes = 0
    while (next !== null) {
      const answer: ListObjectsV2CommandOutput = await this.#list(prefix, { ...wanted, ...next })
      const names = (answer.Contents ?? []).flatMap(({ Key }) => Key ?? [])
      bytes += Math.max(
        pageBytesMin,
        names.reduce((sum, name) => sum + name.length, 0),
      )
      if (bytes > listBytesMax) throw new Error(endlessList(this.#where(prefix), listBytesMax))
      for (const name of names) yield name.slice(this.#prefix.length)
      const token: string | undefined = answer.NextContinuationToken
      next = token === undefined ? null : { ContinuationToken: token }
    }
  }

  async delete(name: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#at(name))
    await this.#request(name, (abortSignal) => this.#client.send(command, { abortSignal }))
  }

  close(): void {
    for (const request of this.#running) request.abort()
    this.#client.destroy()
  }

  #list(prefix: string, wanted: ListObjectsV2CommandInput): Promise<ListObjectsV2CommandOutput> {
    const command = new ListObjectsV2Command(wanted)
    return this.#request(prefix, async (abortSignal) => {
      const answer = await this.#client.send(command, { abortSignal })
      if (answer.IsTruncated === undefined && answer.Contents === undefined) throw new Error(notOfStore)
      return answer
    })
  }

  /** Returns 200, 412 when there is an object with this name, or 409. */
  #put(name: string, bytes: Uint8Array): Promise<number> {
    return this.#request(name, async (abortSignal) => {
      try {
        const { ETag } = await this.#client.send(await putCommand({ ...this.#at(name), Body: bytes }), { abortSignal })
        if (ETag === undefined) throw new Error(notOfStore)
        return 200
      } catch (error) {
        const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
        if (status === 412 || status === 409) return status
        if (status !== 501) throw error
        throw new StoreUnfit(
          'The store of replica.url does not support PUT with If-None-Match, which keeps two services from writing to one replica. Use a store that does.',
          { cause: error },
        )
      }
    })
  }

  #at(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + name }
  }

  #where(name: string): string {
    return `s3://${this.#bucket}/${this.#prefix}${name}`
  }

  /** Aborts the request after its timeout, so that abandoned requests hold no memory. */
  async #request<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const request = new AbortController()
    this.#running.add(request)
    const late = `the store did not answer within ${this.#requestMs} ms`
    const timer = setTimeout(() => request.abort(new Error(late)), this.#requestMs)
    try {
      return await unlessAborted(work(request.signal), request.signal)
    } catch (error) {
      if (error instanceof StoreUnfit) throw error
      const words = `${this.#where(name)}: ${wordsOf(error)}`
      throw isRefusal(error) ? new StoreRefused(words, { cause: error }) : new Error(words, { cause: error })
    } finally {
      clearTimeout(timer)
      this.#running.delete(request)
    }
  }
}

function endlessList(where: string, bytesMax: number): string {
  return `the store lists more than ${bytesMax} bytes of names at ${where}, and a replica has fewer. Check its content, and whether replica.endpoint is right.`
}

/** Fails after `bytesMax` bytes, so that no more of them are read. */
function upTo(bytesMax: number, body: Readable): Readable {
  let bytes = 0
  const counting = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length
      if (bytes <= bytesMax) done(null, chunk)
      else done(new Error(`the answer of the store has more than ${bytesMax} bytes, the most accepted`))
    },
  })
  return pipeline(body, counting, () => undefined)
}

/** The store refuses bytes without this checksum. The signature uses the same one: the client would compute each separately, on this thread. */
async function putCommand(object: { readonly Bucket: string; readonly Key: string; readonly Body: Uint8Array }) {
  const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', object.Body as Uint8Array<ArrayBuffer>))
  const command = new PutObjectCommand({ ...object, IfNoneMatch: '*', ChecksumSHA256: sha256.toString('base64') })
  command.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { readonly headers: Record<string, string> }
      headers['x-amz-content-sha256'] = sha256.toString('hex')
      return next(args)
    },
    { step: 'build', name: 'knownChecksum' },
  )
  return command
}

/** S3's errors for late or torn requests, which a retry fixes; the client corrects its clock from the response. */
const retryableCodes = new Set(['RequestTimeout', 'RequestTimeTooSkewed', 'BadDigest', 'IncompleteBody'])

/** Whether the address, the credentials or the permissions have to be changed. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.name === 'CredentialsProviderError' || error.message === missingRegion) return true
  const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 0) : 0
  return [301, 400, 401, 403, 404, 405].includes(status) && !retryableCodes.has(error.name)
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'CredentialsProviderError') {
    return 'there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them to ~/.aws/credentials'
  }
  if (error.message === missingRegion) return 'the region is missing. Set replica.region or AWS_REGION'
  const code = 'code' in error ? String(error.code) : error.name
  return error.message === '' || error.message === 'UnknownError' ? code : `${code}: ${error.message}`
}

/** The parts of an address such as `s3://bucket/prefix`. */
interface S3Address {
  readonly bucket: string
  /** Precedes each name: empty, or with a slash at its end. */
  readonly prefix: string
}

const form = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.\-/]*))?$/

/** Throws an Error that describes a valid address. */
export function parseS3Address(url: string): S3Address {
  const [, bucket, path = ''] = form.exec(url) ?? []
  if (bucket === undefined) {
    throw new Error(
      `"${url}" is not the address of a replica in S3. Give one such as s3://bucket/prefix: a bucket of 3 to 63 small letters, digits, dots and hyphens, a prefix of letters, digits, dots, hyphens, underscores and slashes.`,
    )
  }
  const parts = path.split('/').filter((part) => part !== '')
  return { bucket, prefix: parts.map((part) => `${part}/`).join('') }
}
