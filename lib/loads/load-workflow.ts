import { Aws, Duration, Fn, Stack } from 'aws-cdk-lib'
import { CustomState, DefinitionBody, Errors, JsonPath, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import type { LoadStep } from '../../schema/load-step.ts'
import { allow } from '../functions/allow.ts'
import { MonthLog } from '../functions/month-log.ts'
import { stageTag } from '../stage/stage-values.ts'
import type { LoadQueue } from './load-queue.ts'
import type { StepJob } from './step-job.ts'

export interface LoadWorkflowProps {
  readonly stageName: string
  readonly queues: Pick<LoadQueue, 'work' | 'control'>
  readonly jobs: Readonly<Record<LoadStep, StepJob>>
}

/** Fargate may end a job after 14 days. Source: AWS Batch API, SubmitJob. */
const maxDuration = Duration.days(14)

/**
 * Longest time for `plan` or `finish`, including retries and waits for capacity. The queue does not end a wait for
 * which Batch gives no reason.
 */
const maxControl = Duration.days(2)

/** Errors of AWS Batch itself: no job was submitted, or its state could not be read. */
const batchFaults = ['Batch', 'AWSBatch', 'Server', 'TooManyRequests', 'SdkClient'].map(
  (name) => `Batch.${name}Exception`,
)

/**
 * Drives a load: `plan`, then an array of workers, then `finish`, even if workers failed. Dependencies between jobs of
 * Batch cannot do this, because a failed job never meets them (docs/adr/0018).
 *
 * Input: `{"loadId": "…", "workers": 20, "order": {}}`. A load that is started by hand has its order in its record, and
 * `order` is empty; a schedule passes its order here.
 */
export class LoadWorkflow extends Construct {
  readonly stateMachine: StateMachine
  private readonly props: LoadWorkflowProps

  constructor(scope: Construct, id: string, props: LoadWorkflowProps) {
    super(scope, id)
    this.props = props
    const plan = this.makeTask('Plan', 'plan', { LOAD_ORDER: 'States.JsonToString($.order)' })
    const work = this.makeTask('Work', 'work')
    const finish = this.makeTask('Finish', 'finish')
    // `finish` reads the load's items to judge what plan and workers achieved, and records why a load failed.
    for (const task of [plan, work]) task.addCatch(finish, { errors: [Errors.ALL], resultPath: JsonPath.DISCARD })

    this.stateMachine = new StateMachine(this, 'Machine', {
      definitionBody: DefinitionBody.fromChainable(plan.next(work).next(finish)),
      timeout: maxDuration,
      logs: {
        level: LogLevel.ERROR,
        // The order can contain the address of a table of contents, which stays out of the log.
        includeExecutionData: false,
        // lib/workflow/workflow.ts says why this prefix is needed.
        destination: new MonthLog(this, 'Logs', {
          logGroupName: `/aws/vendedlogs/states/rate-search-loads-${props.stageName}`,
        }),
      },
    })
    this.allowJobs(props)
  }

  /**
   * Allows the workflow to submit, watch and end its jobs, in any revision of their definitions: a running execution
   * keeps the revisions that it started with. It ends only jobs with the tag of its stage, which it gives them.
   * DescribeJobs has no resource-level permissions.
   * Source: Step Functions developer guide, "IAM policies for calling AWS Batch"; AWS Batch user guide, "Tag your
   * resources during creation".
   */
  private allowJobs({ stageName, queues, jobs }: LoadWorkflowProps): void {
    const arnOf = (service: string, resource: string) => Stack.of(this).formatArn({ service, resource })
    const definitions = Object.values(jobs).map(({ definition: { jobDefinitionArn } }) => {
      const name = Fn.select(0, Fn.split(':', Fn.select(1, Fn.split('/', jobDefinitionArn))))
      return arnOf('batch', `job-definition/${name}:*`)
    })
    const queueArns = [queues.work, queues.control].map(({ jobQueueArn }) => jobQueueArn)
    const { stateMachine } = this
    allow(stateMachine, ['batch:SubmitJob'], [...definitions, ...queueArns])
    allow(stateMachine, ['batch:DescribeJobs'], ['*'])
    const ofStage = (key: 'RequestTag' | 'ResourceTag') => ({ StringEquals: { [`aws:${key}/${stageTag}`]: stageName } })
    allow(stateMachine, ['batch:TagResource'], [...definitions, arnOf('batch', 'job/*')], ofStage('RequestTag'))
    allow(stateMachine, ['batch:TerminateJob'], [arnOf('batch', 'job/*')], ofStage('ResourceTag'))
    const rule = arnOf('events', 'rule/StepFunctionsGetEventsForBatchJobsRule')
    allow(stateMachine, ['events:PutTargets', 'events:PutRule', 'events:DescribeRule'], [rule])
  }

  /**
   * Makes the state of a step. The CDK's own task would drop the timeout and allow all job definitions.
   *
   * @param variables further variables of the container, as JSONPath expressions
   */
  private makeTask(id: string, step: LoadStep, variables: Readonly<Record<string, string>> = {}): CustomState {
    const { stageName, queues, jobs } = this.props
    const isWork = step === 'work'
    const environment = Object.entries({ LOAD_ID: '$.loadId', ...variables })
    const task = new CustomState(this, id, {
      stateJson: {
        Type: 'Task',
        Resource: `arn:${Aws.PARTITION}:states:::batch:submitJob.sync`,
        Parameters: {
          'JobName.$': `States.Format('load-{}-${step}', $.loadId)`,
          JobDefinition: jobs[step].definition.jobDefinitionArn,
          Tags: { [stageTag]: stageName },
          JobQueue: queues[isWork ? 'work' : 'control'].jobQueueArn,
          ContainerOverrides: { Environment: environment.map(([Name, value]) => ({ Name, 'Value.$': value })) },
          ...(isWork && { ArrayProperties: { 'Size.$': '$.workers' } }),
        },
        ResultPath: null,
        ...(!isWork && { TimeoutSeconds: maxControl.toSeconds() }),
      },
    })
    task.addRetry({ errors: batchFaults, interval: Duration.seconds(5), backoffRate: 2, maxAttempts: 6 })
    return task
  }
}
