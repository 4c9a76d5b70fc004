import { join } from 'node:path'
import * as v from 'valibot'
import type { Resource, StackTemplate } from '../stack-template.ts'

/** A function as defined in its template. */
export interface FunctionDefinition {
  readonly arn: string
  /** The construct's name in the stack; names the log file. */
  readonly name: string
  /** The same bundle file that a deployment uploads. */
  readonly bundle: string
  readonly timeoutSeconds: number
  /** The template's variables plus those that every function gets: region, credentials, endpoints. */
  readonly environment: Readonly<Record<string, string>>
}

const propertiesSchema = v.object({
  // The CDK names an asset's archive after the folder it packs.
  Code: v.object({ S3Key: v.pipe(v.string(), v.endsWith('.zip')) }),
  Handler: v.literal('index.handler'),
  Role: v.unknown(),
  Timeout: v.optional(v.number(), 3),
  Environment: v.optional(v.object({ Variables: v.record(v.string(), v.unknown()) }), { Variables: {} }),
})

/**
 * Reads the service's own functions from the template. Skips those that the CDK adds, which have a different handler.
 */
export function readFunctions(template: StackTemplate, surroundings: Surroundings): readonly FunctionDefinition[] {
  return template.ofType('AWS::Lambda::Function').flatMap((resource) => readFunction(template, resource, surroundings))
}

/** The local surroundings of functions: region and endpoints, role credentials. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string>>
  readonly credentialsOf: (roleArn: string) => Readonly<Record<string, string>>
}

function readFunction(template: StackTemplate, resource: Resource, surroundings: Surroundings): FunctionDefinition[] {
  const parsed = v.safeParse(propertiesSchema, resource.properties)
  if (!parsed.success || isOfTheCdk(resource)) return []
  const { Code, Role, Timeout, Environment } = parsed.output
  const variables = Object.entries(Environment.Variables).map(([name, value]) => [name, template.text(value)])
  const name = resource.id.replace(/[0-9A-F]{8}$/, '')
  return [
    {
      arn: template.text({ 'Fn::GetAtt': [resource.id, 'Arn'] }),
      name,
      bundle: join(template.assembly, `asset.${Code.S3Key.slice(0, -'.zip'.length)}`, 'index.mjs'),
      timeoutSeconds: Timeout,
      environment: {
        ...surroundings.environment,
        AWS_LAMBDA_FUNCTION_NAME: name,
        ...surroundings.credentialsOf(template.text(Role)),
        ...Object.fromEntries(variables),
      },
    },
  ]
}

const isOfTheCdk = ({ id }: Resource) => id.startsWith('Custom')
