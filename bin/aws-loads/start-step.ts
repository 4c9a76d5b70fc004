import { createHash, createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Starts a step in a container that has only Node.js: fetches the program from the asset bucket with the task's own
 * role, checks its hash and becomes it. `node -e` runs this file, so it is bundled into the job definition and imports
 * nothing else.
 */

/** Exit codes: Batch does not retry a job whose files are wrong or gone, but one that could not get them. */
const exitCodes = { wrong: 1, unavailable: 75 } as const

const maxAttempts = 5

interface Credentials {
  readonly AccessKeyId: string
  readonly SecretAccessKey: string
  readonly Token: string
}

class StartFailed extends Error {
  readonly exitCode: number
  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}

async function start(): Promise<void> {
  const folder = readVariable('CODE_FOLDER')
  const program = await fetchProgram(await readCredentials())
  const file = join(folder, 'load-step.mjs')
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, program)
  process.argv.splice(1, 0, file)
  await import(pathToFileURL(file).href)
}

/** Fetches the file that `PROGRAM_KEY` names, and checks `PROGRAM_HASH`. */
async function fetchProgram(credentials: Credentials): Promise<Buffer> {
  const url = new URL(readVariable('CODE_URL') + readVariable('PROGRAM_KEY'))
  const answer = await fetchPatiently(url, () => signGet(url, readVariable('AWS_REGION'), credentials, new Date()))
  const bytes = Buffer.from(await answer.arrayBuffer())
  const hash = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (hash !== readVariable('PROGRAM_HASH')) throw new StartFailed(`${url.pathname} has another hash`, exitCodes.wrong)
  return bytes
}

/** Source: Amazon ECS developer guide, "Task IAM role"; an agent of the task gives its role's credentials. */
async function readCredentials(): Promise<Credentials> {
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI: full, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative } = process.env
  const answer = await fetchPatiently(new URL(full ?? `http://169.254.170.2${relative}`), () => ({}))
  return JSON.parse(await answer.text())
}

async function fetchPatiently(url: URL, headersOf: () => Record<string, string>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url, { headers: headersOf() }).catch((error: Error) => error)
    if (answer instanceof Response && answer.ok) return answer
    const fault = answer instanceof Error ? `${answer.cause ?? answer.message}` : `HTTP ${answer.status}`
    const isRefused = answer instanceof Response && answer.status >= 400 && answer.status < 500
    // Other refusals may pass, though not soon: the rights of a new role take a while to spread.
    const exitCode = isRefused && answer.status === 404 ? exitCodes.wrong : exitCodes.unavailable
    if (isRefused || attempt === maxAttempts) throw new StartFailed(`${url.host}${url.pathname}: ${fault}`, exitCode)
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt))
  }
}

/** Signs a GET of S3. Source: IAM user guide, "Create a signed AWS API request" (Signature Version 4). */
function signGet(url: URL, region: string, credentials: Credentials, now: Date): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const headers = {
    host: url.host,
    'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    'x-amz-date': time,
    'x-amz-security-token': credentials.Token,
  }
  const names = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const canonical = ['GET', url.pathname, '', lines.join(''), names, 'UNSIGNED-PAYLOAD'].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = scope.split('/').reduce<Buffer | string>(hmac, `AWS4${credentials.SecretAccessKey}`)
  const signature = hmac(key, text).toString('hex')
  const credential = `${credentials.AccessKeyId}/${scope}`
  const { host: _, ...sent } = headers
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()

function readVariable(name: string): string {
  const value = process.env[name]
  if (value) return value
  throw new StartFailed(`the variable ${name} is missing`, exitCodes.wrong)
}

start().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : 'unknown'
  process.stderr.write(`${JSON.stringify({ level: 'ERROR', message: `the step did not start: ${message}` })}\n`)
  process.exit(error instanceof StartFailed ? error.exitCode : exitCodes.unavailable)
})
