import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { PrintableError } from '../schema/printable-error.ts'

/**
 * The synthesised template as data, with every reference resolved to its local name. Anything not supported here is
 * refused rather than guessed.
 */

export const localRegion = 'us-east-1'
export const localAccount = '000000000000'

export interface Resource {
  readonly id: string
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
}

const resourceSchema = v.object({
  Type: v.string(),
  Properties: v.optional(v.record(v.string(), v.unknown()), {}),
})

const templateSchema = v.object({ Resources: v.record(v.string(), resourceSchema) })

/**
 * Reads a stack's template.
 *
 * @param assembly folder of the cloud assembly (`cdk.out`)
 * @throws PrintableError if a property that is read refers to something without a local counterpart
 */
export function readStackTemplate(assembly: string, stack: string) {
  const text = readFileSync(join(assembly, `${stack}.template.json`), 'utf8')
  const { Resources } = v.parse(templateSchema, JSON.parse(text))
  const types = new Map(Object.entries(Resources).map(([id, { Type }]) => [id, Type]))
  const resources = Object.entries(Resources).map(([id, { Type, Properties }]) => ({
    id,
    type: Type,
    properties: Properties,
  }))
  return {
    /** Folder of the cloud assembly, which contains the assets. */
    assembly,
    ofType: (type: string): readonly Resource[] => resources.filter((resource) => resource.type === type),
    /** Resolves the references in a template value. */
    resolve: (value: unknown): unknown => resolve(value, types),
    /** Like `resolve`, for a value that must be text. */
    text: (value: unknown): string => v.parse(v.string(), resolve(value, types)),
  }
}

export type StackTemplate = ReturnType<typeof readStackTemplate>

const unsupported = (reference: string) =>
  new PrintableError(`the template's reference ${reference} has no local counterpart`)

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::Region': localRegion,
  'AWS::AccountId': localAccount,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
}

/** Values of `Ref`, by resource type. Source: CloudFormation template reference, "Return values" of each type. */
const refs: Readonly<Record<string, (id: string) => string>> = {
  'AWS::DynamoDB::GlobalTable': (id) => id,
  'AWS::S3::Bucket': nameBucket,
  'AWS::IAM::Role': (id) => id,
  'AWS::StepFunctions::StateMachine': (id) => arn('states', `stateMachine:${id}`),
  'AWS::Lambda::Function': (id) => id,
  // A version's id is its function's id plus a hash; locally each function has one version.
  'AWS::Lambda::Version': (id) => id,
  'AWS::Batch::JobDefinition': (id) => arn('batch', `job-definition/${id}:1`),
  'AWS::ApiGateway::RestApi': () => 'local',
  'AWS::ApiGateway::Resource': (id) => id,
}

/** The attribute with a resource's ARN, where it is not `Arn`. */
const arnAttributes: Readonly<Record<string, string>> = { 'AWS::Batch::JobQueue': 'JobQueueArn' }

const arns: Readonly<Record<string, (id: string) => string>> = {
  'AWS::Batch::JobQueue': (id) => arn('batch', `job-queue/${id}`),
  'AWS::Lambda::Function': (id) => arn('lambda', `function:${id}`),
  'AWS::S3::Bucket': (id) => `arn:aws:s3:::${nameBucket(id)}`,
  'AWS::SQS::Queue': (id) => arn('sqs', id),
  'AWS::IAM::Role': (id) => `arn:aws:iam::${localAccount}:role/${id}`,
}

/** Names a bucket, in lower case as S3 requires. */
function nameBucket(id: string): string {
  return id.toLowerCase()
}

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${localRegion}:${localAccount}:${resource}`
}

function resolve(value: unknown, types: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, types))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const [entry] = entries
  if (entries.length === 1 && entry !== undefined) {
    const [key, argument] = entry
    if (key === 'Ref') return resolveRef(String(argument), types)
    if (key === 'Fn::GetAtt') return resolveAttribute(v.parse(v.tuple([v.string(), v.string()]), argument), types)
    if (key === 'Fn::Join') {
      const [separator, parts] = v.parse(v.tuple([v.string(), v.array(v.unknown())]), argument)
      return parts.map((part) => resolve(part, types)).join(separator)
    }
    if (key.startsWith('Fn::')) throw unsupported(key)
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item, types)]))
}

function resolveRef(id: string, types: ReadonlyMap<string, string>): string {
  const name = pseudoParameters[id] ?? refs[types.get(id) ?? '']?.(id)
  if (name === undefined) throw unsupported(`Ref ${id}`)
  return name
}

function resolveAttribute([id, attribute]: readonly [string, string], types: ReadonlyMap<string, string>): string {
  const type = types.get(id) ?? ''
  if (attribute === 'RootResourceId') return 'root'
  const name = attribute === (arnAttributes[type] ?? 'Arn') ? arns[type]?.(id) : undefined
  if (name === undefined) throw unsupported(`${id}.${attribute}`)
  return name
}
