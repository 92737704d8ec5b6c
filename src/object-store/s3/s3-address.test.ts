import { expect, test } from 'vitest'
import { parseS3Address } from './s3-address.ts'

test.each([
  ['s3://bucket', 'bucket', ''],
  ['s3://bucket/', 'bucket', ''],
  ['s3://my.bucket-1/tidemark', 'my.bucket-1', 'tidemark/'],
  ['s3://bucket//a/b_c//', 'bucket', 'a/b_c/'],
])('%s', (url, bucket, prefix) => expect(parseS3Address(url)).toEqual({ bucket, prefix }))

test.each(['s3://', 's3:///prefix', 's3://B/prefix', 's3://ab', 's3://bucket/with space', 's3://bucket?x'])(
  '%s is refused',
  (url) => expect(() => parseS3Address(url)).toThrow('Give one such as s3://bucket/prefix'),
)
