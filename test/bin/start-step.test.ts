import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commandOf, integrityOf } from '../../lib/loads/step-code.ts'
import { type Answer, type HttpStub, startHttpStub } from '../doubles/http-stub.ts'
import { bucket, discardLocalS3, type LocalS3, openLocalS3 } from '../local/local-s3.ts'

const program = Buffer.from(`
  console.log(JSON.stringify({ args: process.argv.slice(2), load: process.env.LOAD_ID }))
  process.exitCode = 3
`)

const wrongHash = integrityOf(Buffer.from('anything'))

let folder: string
let s3: LocalS3
/** Serves the credentials of a task's role, as in a container. */
let agent: HttpStub
const faults: Answer[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'start-step-'))
  s3 = await openLocalS3()
  await s3.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'program.mjs', Body: program }))
  const issued = s3.credentials.issue('arn:aws:iam::000000000000:role/Work', 3600, s3.clock.now)
  const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token } = issued
  agent = await startHttpStub(
    () => faults.shift() ?? { status: 200, body: JSON.stringify({ AccessKeyId, SecretAccessKey, Token }) },
  )
})

afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await discardLocalS3(s3)
  rmSync(folder, { recursive: true })
})

/** Runs the command of a job definition as a container would. */
async function start(changed: Readonly<Record<string, string>> = {}) {
  const codeFolder = mkdtempSync(join(folder, 'code-'))
  const [, ...args] = commandOf('work')
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      AWS_REGION: 'us-east-1',
      LOAD_ID: 'l1',
      AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url,
      CODE_FOLDER: codeFolder,
      CODE_URL: `${s3.url}/${bucket}/`,
      PROGRAM_KEY: 'program.mjs',
      PROGRAM_HASH: integrityOf(program),
      ...changed,
    },
  })
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, errors, exitCode }
}

it('fetches the code with the role of the task and becomes the step', async () => {
  const { output, errors, exitCode } = await start()
  expect(errors).toBe('')
  expect(JSON.parse(output)).toEqual({ args: ['work'], load: 'l1' })
  expect(exitCode).toBe(3)
})

it('tries again if the credentials of the role are not there yet', async () => {
  faults.push({ status: 503, body: '' })
  expect(await start()).toMatchObject({ errors: '', exitCode: 3 })
  expect(faults).toEqual([])
})

it.each([
  ['another program', { PROGRAM_HASH: wrongHash }, 'program.mjs has another hash'],
  ['no region', { AWS_REGION: '' }, 'the variable AWS_REGION is missing'],
])('says in one line if there is %s, and exits without a retry', async (_, changed, reason) => {
  const { output, errors, exitCode } = await start(changed)
  expect({ output, exitCode }).toEqual({ output: '', exitCode: 1 })
  const { level, message } = JSON.parse(errors)
  expect({ level, message }).toEqual({ level: 'ERROR', message: expect.stringContaining(reason) })
})

// S3 answers 403, not 404, to a role that may not list the bucket, so a missing program looks like missing rights.
it('reports a program that is not there, and leaves the retry to Batch', async () => {
  const { output, errors, exitCode } = await start({ PROGRAM_KEY: 'gone.mjs' })
  expect({ output, exitCode }).toEqual({ output: '', exitCode: 75 })
  expect(JSON.parse(errors).message).toMatch(/^the step did not start: .*gone\.mjs: HTTP 403$/)
})

it('reports a role that may not read the code yet, and leaves the retry to Batch', async () => {
  const refused = { AccessKeyId: 'AKIAEXAMPLE', SecretAccessKey: 'wrong', Token: 'wrong' }
  faults.push({ status: 200, body: JSON.stringify(refused) })
  const { errors, exitCode } = await start()
  expect(exitCode).toBe(75)
  expect(JSON.parse(errors).message).toMatch(/^the step did not start: .*: HTTP 403$/)
})
