/** Where an address such as `s3://bucket/prefix` leads. */
export interface S3Address {
  readonly bucket: string
  /** Before each name: empty, or with a slash at its end. */
  readonly prefix: string
}

const form = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.\-/]*))?$/

/** Throws an Error that says what to give. */
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
