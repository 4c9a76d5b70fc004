import { Aws, type Duration, Size } from 'aws-cdk-lib'
import { Action, EcsFargateContainerDefinition, EcsJobDefinition, Reason, RetryStrategy } from 'aws-cdk-lib/aws-batch'
import { ContainerImage, CpuArchitecture, LogDriver } from 'aws-cdk-lib/aws-ecs'
import { type IPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { type LoadStep, stepExit } from '../../schema/load-step.ts'
import type { ResourceUser } from '../functions/service-function.ts'
import type { LoadsSettings } from '../stage/loads-settings.ts'
import { commandOf, type StepCode } from './step-code.ts'
import type { StepUse } from './step-uses.ts'

export interface StepJobProps {
  /** The step that the job runs. */
  readonly step: LoadStep
  /** The program that the container fetches when it starts. */
  readonly code: StepCode
  /** Sizes and image of the container. */
  readonly settings: LoadsSettings
  /** Uses of the step besides its code and its log. */
  readonly uses: readonly StepUse[]
  /** The role that starts containers and writes their logs. */
  readonly executionRole: Role
  /** The log of all steps. */
  readonly logGroup: LogGroup
  /** Longest time for an attempt; Batch then ends it. */
  readonly timeout: Duration
  /** Variables of the container, besides those that its code and its uses set. */
  readonly variables: Readonly<Record<string, string>>
}

/** Folder for the files that a step is writing: part of the image, on the task's disk. */
const scratchFolder = '/tmp'

const cpuArchitectures = { arm64: CpuArchitecture.ARM64, x86_64: CpuArchitecture.X86_64 } as const

/** User and group of the container: not root, but the first ordinary user of Node's images. */
const user = '1000:1000'

/** Number of attempts before a lost container fails the job: Spot can take one back at any time. Batch allows ten. */
const maxAttempts = 10

/**
 * Batch retries a container that was lost: Spot took it back, it ran out of memory, or its image or code could not be
 * fetched. It does not retry a program that reported that the load cannot go on. A condition on Spot's reason would be
 * unsafe, because the reasons of Fargate are not documented. Source: AWS Batch user guide, "Automated job retries".
 */
const retryStrategies = [
  ...[stepExit.failed, stepExit.misused].map((code) =>
    RetryStrategy.of(Action.EXIT, Reason.custom({ onExitCode: String(code) })),
  ),
  RetryStrategy.of(Action.RETRY, Reason.custom({ onReason: '*' })),
]

/**
 * Returns the principal of tasks of this account alone. Source: Amazon ECS developer guide, "Task IAM role", on the
 * confused deputy.
 */
export const taskPrincipal = () =>
  new ServicePrincipal('ecs-tasks.amazonaws.com', {
    conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
  })

/** A step of loads as a job definition of AWS Batch, with a separate role. */
export class StepJob extends Construct implements ResourceUser {
  readonly grantPrincipal: IPrincipal
  readonly definition: EcsJobDefinition

  private readonly environment: Record<string, string>

  constructor(scope: Construct, id: string, props: StepJobProps) {
    super(scope, id)
    const { step, code, settings, executionRole, logGroup } = props
    const role = new Role(this, 'Role', {
      assumedBy: taskPrincipal(),
      description: `rate search: the step ${step} of loads`,
    })
    this.grantPrincipal = role.grantPrincipal
    this.environment = { ...code.variables, SCRATCH_FOLDER: scratchFolder, ...props.variables }
    for (const use of [code.allowFetching, ...props.uses]) use(this)
    const container = new EcsFargateContainerDefinition(this, 'Container', {
      image: ContainerImage.fromRegistry(settings.image),
      fargateCpuArchitecture: cpuArchitectures[settings.architecture],
      cpu: settings.vcpus,
      memory: Size.gibibytes(settings.memoryGib),
      ephemeralStorageSize: Size.gibibytes(settings.scratchGib),
      // Without a NAT gateway, a task needs a public address to reach the internet.
      assignPublicIp: true,
      command: commandOf(step),
      environment: this.environment,
      user,
      jobRole: role,
      executionRole,
      logging: LogDriver.awsLogs({ logGroup, streamPrefix: step }),
    })
    this.definition = new EcsJobDefinition(this, 'Definition', {
      container,
      retryAttempts: maxAttempts,
      retryStrategies,
      timeout: props.timeout,
      // Fargate bills the tasks, not their definition.
      propagateTags: true,
      // A load that runs during an upgrade continues with the definitions that it started with.
      skipDeregisterOnUpdate: true,
    })
  }

  setVariables(values: Readonly<Record<string, string | number>>): void {
    for (const [name, value] of Object.entries(values)) this.environment[name] = String(value)
  }
}
