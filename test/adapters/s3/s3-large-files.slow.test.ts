import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { choosePartSize, createS3WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'
import { bucket, discardLocalS3, type LocalS3, openLocalS3 } from '../../local/local-s3.ts'

const mebibyte = 1024 ** 2
const partBytes = 5 * mebibyte
const Key = 'rates/a/bucket=7/s1.l1.00000.parquet'

let s3: LocalS3
let file: string

beforeEach(async () => {
  s3 = await openLocalS3()
  file = join(s3.folder, 'file')
  writeFileSync(file, randomBytes(2 * partBytes + 1))
})

afterEach(() => discardLocalS3(s3))

const upload = (client: S3Client) =>
  createS3WarehouseFiles(`s3://${bucket}/rates/`, client, partBytes).upload(Key.slice('rates/'.length), file)

/** Lists everything that the endpoint stores, including parts that were neither completed nor aborted. */
const keptFiles = () => readdirSync(join(s3.folder, 's3', bucket))

/** Makes matching calls of a client fail, and records every call. */
function breakCalls(client: S3Client, isBroken: (command: string, input: object) => boolean): { sent: string[] } {
  const sent: string[] = []
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        sent.push(commandName)
        if (isBroken(commandName, args.input)) throw new Error(`${commandName} broke`)
        return next(args)
      },
    { step: 'initialize' },
  )
  return { sent }
}

describe('a multipart upload', () => {
  it('creates one object with the bytes of the file, and leaves no parts behind', async () => {
    await upload(s3.client)
    const stored = await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }))
    expect(stored).toMatchObject({ ContentLength: 2 * partBytes + 1, ChecksumType: 'COMPOSITE' })
    expect(stored.ETag).toMatch(/^"[0-9a-f]{32}-3"$/)
    const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }))
    expect((await Body?.transformToByteArray()) ?? []).toEqual(new Uint8Array(readFileSync(file)))
    expect(keptFiles()).toHaveLength(2)
  })

  it.each([partBytes - 1, partBytes, partBytes + 1, 2 * partBytes])('uploads all of %d bytes', async (length) => {
    writeFileSync(file, randomBytes(length))
    await upload(s3.client)
    const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key }))
    const [expected, hash] = [createHash('sha256'), createHash('sha256')]
    await pipeline(createReadStream(file), expected)
    hash.update((await Body?.transformToByteArray()) ?? '')
    expect(hash.digest('hex')).toBe(expected.digest('hex'))
  })

  it.each([
    ['a part', UploadPartCommand.name],
    ['the last call', CompleteMultipartUploadCommand.name],
  ])('leaves nothing behind if %s fails', async (_, broken) => {
    const { sent } = breakCalls(
      s3.client,
      (command, input) => command === broken && (!('PartNumber' in input) || input.PartNumber === 2),
    )
    await expect(upload(s3.client)).rejects.toThrow(`${broken} broke`)
    expect(sent.at(-1)).toBe('AbortMultipartUploadCommand')
    expect(keptFiles()).toEqual([])
  })

  it('fails with the original error, even if it cannot be aborted', async () => {
    breakCalls(s3.client, (command) => /^(?:CompleteMultipart|AbortMultipart)/.test(command))
    await expect(upload(s3.client)).rejects.toThrow('CompleteMultipartUploadCommand broke')
  })

  it.each([
    [1, 'PutObjectCommand'],
    [2 * partBytes + 1, 'CompleteMultipartUploadCommand'],
  ])('succeeds if the answer to the last call of %d bytes was lost', async (length, lost) => {
    writeFileSync(file, randomBytes(length))
    const client = s3.clientFor(s3.credentials.localUser, { maxAttempts: 3 })
    let answers = 0
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const answer = await next(args)
          if (commandName === lost && answers++ === 0) throw Object.assign(new Error('reset'), { name: 'TimeoutError' })
          return answer
        },
      { step: 'finalizeRequest', priority: 'low' },
    )
    await upload(client)
    expect(answers).toBe(1)
    const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key }))
    expect((await Body?.transformToByteArray()) ?? []).toEqual(new Uint8Array(readFileSync(file)))
  })

  it('leaves another object at its key as it is, and no parts behind', async () => {
    await upload(s3.client)
    const first = readFileSync(file)
    writeFileSync(file, randomBytes(2 * partBytes + 1))
    await expect(upload(s3.client)).rejects.toThrow(`s3://${bucket}/${Key} exists with other bytes`)
    const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key }))
    expect((await Body?.transformToByteArray()) ?? []).toEqual(new Uint8Array(first))
    expect(keptFiles()).toHaveLength(2)
  })

  it('fails with the original error if its parts were removed meanwhile', async () => {
    const client = s3.clientFor(s3.credentials.localUser)
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'CompleteMultipartUploadCommand' && 'UploadId' in args.input)
            await s3.client.send(
              new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId: String(args.input.UploadId) }),
            )
          return next(args)
        },
      { step: 'initialize' },
    )
    await expect(upload(client)).rejects.toMatchObject({ name: 'NoSuchUpload' })
    expect(keptFiles()).toEqual([])
  })

  it('repeats its calls while the endpoint fails', async () => {
    const client = s3.clientFor(s3.credentials.localUser, { maxAttempts: 3 })
    let faults = 0
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === UploadPartCommand.name && faults++ === 0)
            throw Object.assign(new Error('reset'), { name: 'TimeoutError' })
          return next(args)
        },
      { step: 'finalizeRequest', priority: 'low' },
    )
    await upload(client)
    expect(faults).toBe(4)
    expect(keptFiles()).toHaveLength(2)
  })
})

describe('the size of a part', () => {
  it.each([
    [1, 16 * mebibyte],
    [10_000 * 16 * mebibyte, 16 * mebibyte],
    [10_000 * 16 * mebibyte + 1, 16 * mebibyte + 1],
    [5 * 1024 ** 4, 549_755_814],
  ])('fits a file of %d bytes into 10,000 parts: %d', (fileBytes, expected) => {
    expect(choosePartSize(fileBytes)).toBe(expected)
    expect(Math.ceil(fileBytes / expected)).toBeLessThanOrEqual(10_000)
  })
})
