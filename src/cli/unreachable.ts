import type { ConnectionError } from '../client/service-error.ts'

/** What is said where nothing answers at the address of the service. */
export function unreachableText({ message }: ConnectionError): string {
  return `${message} Start it with "tidemark serve", or give its address with --url or TIDEMARK_URL.`
}
