import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AwsRefusal, chooseRefusal } from '../aws-refusal.ts'
import { closeToBrowsers, listen, type RunningServer, readBody } from '../http-server.ts'
import { parseTarget } from '../request-target.ts'
import { sendXml } from '../s3/answer.ts'
import { parentElement, textElement } from '../s3/xml.ts'
import type { CredentialBook, KnownCredentials } from '../signing/credentials.ts'
import { verifySignature } from '../signing/signature-v4.ts'

export interface StsOptions {
  readonly credentials: CredentialBook
  readonly now: () => Date
  /** The default, 0, picks a free port. */
  readonly port?: number
}

const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/'
const maxBodyBytes = 64 * 1024

/**
 * Length of a session in seconds. A role that assumes another gets an hour at most. Source: IAM User Guide, "Role
 * chaining".
 */
const lifetimes = { minimum: 900, default: 3600, maximum: 43_200, chainedMaximum: 3600 } as const

/** STS error codes for refusals that have another name in S3. Source: AWS STS API Reference, "Common Errors". */
const codes = new Map([
  ['AccessDenied', 'MissingAuthenticationToken'],
  ['InvalidAccessKeyId', 'InvalidClientTokenId'],
  ['InvalidToken', 'InvalidClientTokenId'],
  ['AuthorizationHeaderMalformed', 'IncompleteSignature'],
  ['RequestTimeTooSkewed', 'SignatureDoesNotMatch'],
])

/** Starts a local STS: AssumeRole, for callers with valid credentials. Any role may be assumed. */
export async function startSts({ credentials, now, port }: StsOptions): Promise<RunningServer> {
  const listener = closeToBrowsers((request, response) => {
    answer(request, response, credentials, now()).catch((error: unknown) => refuse(request, response, error))
  })
  return listen(listener, port)
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  credentials: CredentialBook,
  now: Date,
): Promise<void> {
  const body = await readBody(request, maxBodyBytes)
  if (body === undefined) throw new AwsRefusal(413, 'RequestEntityTooLarge', 'The request is too long.')
  const target = parseTarget(request.url ?? '')
  const payloadHash = createHash('sha256').update(body).digest('hex')
  const { signer } = await verifySignature(request, target, { credentials, service: 'sts', now, payloadHash })
  const parameters = new URLSearchParams(body.toString('utf8'))
  const action = parameters.get('Action')
  if (action !== 'AssumeRole')
    throw new AwsRefusal(400, 'InvalidAction', `Could not find operation ${action} for version 2011-06-15`)
  const result = parentElement('AssumeRoleResult', assumeRole(parameters, signer, credentials, now))
  const metadata = parentElement('ResponseMetadata', [textElement('RequestId', randomUUID())])
  sendXml(response, 200, parentElement('AssumeRoleResponse', [result, metadata], namespace))
}

/** Source: AWS STS API Reference, AssumeRole. */
function assumeRole(
  parameters: URLSearchParams,
  { expiresAt }: KnownCredentials,
  credentials: CredentialBook,
  now: Date,
): string[] {
  const { account, roleName, sessionName } = parseRole(parameters)
  const seconds = Number(parameters.get('DurationSeconds') ?? lifetimes.default)
  const maximum = expiresAt === undefined ? lifetimes.maximum : lifetimes.chainedMaximum
  if (!Number.isInteger(seconds) || seconds < lifetimes.minimum || seconds > maximum)
    throw invalid(`Value at 'durationSeconds' must be between ${lifetimes.minimum} and ${maximum} for this caller`)
  const arn = `arn:aws:sts::${account}:assumed-role/${roleName}/${sessionName}`
  const issued = credentials.issue(arn, seconds, now)
  return [
    parentElement('Credentials', [
      textElement('AccessKeyId', issued.accessKeyId),
      textElement('SecretAccessKey', issued.secretAccessKey),
      textElement('SessionToken', issued.sessionToken),
      textElement('Expiration', issued.expiresAt.toISOString()),
    ]),
    parentElement('AssumedRoleUser', [
      textElement('AssumedRoleId', `${issued.accessKeyId}:${sessionName}`),
      textElement('Arn', arn),
    ]),
  ]
}

function parseRole(parameters: URLSearchParams): { account: string; roleName: string; sessionName: string } {
  const roleArn = parameters.get('RoleArn') ?? ''
  const sessionName = parameters.get('RoleSessionName') ?? ''
  const [, account, roleName] = /^arn:[\w-]+:iam::(\d{12}):role\/(?:[!-~]*\/)?([\w+=,.@-]{1,64})$/.exec(roleArn) ?? []
  if (account === undefined || roleName === undefined) throw invalid(`${roleArn} is invalid`)
  if (!/^[\w+=,.@-]{2,64}$/.test(sessionName))
    throw invalid(`Value '${sessionName}' at 'roleSessionName' must have 2 to 64 characters of [\\w+=,.@-]`)
  return { account, roleName, sessionName }
}

const internalFailure = new AwsRefusal(500, 'InternalFailure', 'The request processing has failed.')

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const refusal = chooseRefusal(request, response, error, internalFailure)
  if (refusal === undefined) return
  const { status, code, message } = refusal
  const children = [
    textElement('Type', status < 500 ? 'Sender' : 'Receiver'),
    textElement('Code', codes.get(code) ?? code),
    textElement('Message', message),
  ]
  const document = [parentElement('Error', children), textElement('RequestId', randomUUID())]
  sendXml(response, status, parentElement('ErrorResponse', document, namespace))
}

function invalid(message: string): AwsRefusal {
  return new AwsRefusal(400, 'ValidationError', message)
}
