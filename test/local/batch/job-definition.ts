import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import type { StackContext } from '../../../local/endpoint.ts'
import type { StackTemplate } from '../../../local/stack-template.ts'

/** A job definition of the template, to be run as a process. */
export interface JobDefinition {
  readonly arn: string
  /** The same program that a deployment uploads. */
  readonly program: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly maxAttempts: number
  /** Exit codes after which a job is not run again. */
  readonly finalExitCodes: readonly number[]
}

const definitionSchema = v.object({
  ContainerProperties: v.object({
    // The third argument fetches the program on AWS.
    Command: v.tuple([v.literal('node'), v.literal('-e'), v.string(), v.string()]),
    JobRoleArn: v.unknown(),
    Environment: v.array(v.object({ Name: v.string(), Value: v.unknown() })),
  }),
  RetryStrategy: v.object({
    Attempts: v.number(),
    EvaluateOnExit: v.array(
      v.object({
        Action: v.picklist(['EXIT', 'RETRY']),
        OnExitCode: v.optional(v.pipe(v.string(), v.regex(/^\d+$/))),
        OnReason: v.optional(v.literal('*')),
      }),
    ),
  }),
})

/** Variables that are only for a container, which fetches its code. */
const isForContainers = (name: string) => /^(AWS_|CODE_|PROGRAM_)/.test(name)

/** The surroundings of jobs on this machine: endpoints, role credentials, folders. */
export interface JobSurroundings extends Pick<StackContext, 'environment' | 'credentialsOf'> {
  readonly warehouseFolder: string
  readonly scratchFolder: string
}

/** Reads the template's job definitions. */
export function readJobDefinitions(template: StackTemplate, surroundings: JobSurroundings): readonly JobDefinition[] {
  return template.ofType('AWS::Batch::JobDefinition').map(({ id, properties }) => {
    const { ContainerProperties, RetryStrategy } = v.parse(definitionSchema, properties)
    const { Command, Environment, JobRoleArn } = ContainerProperties
    const asset = Environment.find(({ Name }) => Name === 'PROGRAM_KEY')?.Value
    const variables = Environment.filter(({ Name }) => !isForContainers(Name)).map(({ Name, Value }) => [
      Name,
      template.text(Value),
    ])
    return {
      arn: template.text({ Ref: id }),
      // The CDK names an asset after its hash, and its object too.
      program: join(template.assembly, `asset.${template.text(asset)}`),
      args: Command.slice(3),
      environment: {
        ...surroundings.environment,
        ...surroundings.credentialsOf(template.text(JobRoleArn)),
        ...Object.fromEntries(variables),
        RATES_LOCATION: pathToFileURL(join(surroundings.warehouseFolder, '/')).href,
        SCRATCH_FOLDER: surroundings.scratchFolder,
      },
      maxAttempts: RetryStrategy.Attempts,
      finalExitCodes: RetryStrategy.EvaluateOnExit.filter(({ Action }) => Action === 'EXIT').map(({ OnExitCode }) =>
        Number(OnExitCode),
      ),
    }
  })
}
