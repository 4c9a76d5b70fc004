import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import type { JobQueue } from 'aws-cdk-lib/aws-batch'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import {
  DefinitionBody,
  Errors,
  IntegrationPattern,
  JsonPath,
  LogLevel,
  StateMachine,
} from 'aws-cdk-lib/aws-stepfunctions'
import { BatchSubmitJob } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import { Construct } from 'constructs'
import type { LoadStep } from '../../schema/load-step.ts'
import type { StepJob } from './step-job.ts'

export interface LoadWorkflowProps {
  readonly stageName: string
  readonly queue: JobQueue
  readonly jobs: Readonly<Record<LoadStep, StepJob>>
}

/** Fargate may end a job after 14 days. Source: AWS Batch API, SubmitJob. */
const maxDuration = Duration.days(14)

/** Errors of AWS Batch itself: no job was submitted, or its state could not be read. */
const batchFaults = ['Batch.BatchException', 'Batch.SdkClientException']

/**
 * Drives a load: `plan`, then an array of workers, then `finish`, whatever happened to the workers. A dependency between
 * jobs of Batch is met only by a job that succeeded, so it could not do this (docs/adr/0018).
 *
 * Input: `{"loadId": "…", "workers": 20, "order": {}}`; `order` is what to load if the load's record does not say it.
 */
export class LoadWorkflow extends Construct {
  readonly stateMachine: StateMachine
  private readonly props: LoadWorkflowProps

  constructor(scope: Construct, id: string, props: LoadWorkflowProps) {
    super(scope, id)
    this.props = props
    const order = { LOAD_ORDER: JsonPath.jsonToString(JsonPath.objectAt('$.order')) }
    const plan = this.makeTask('Plan', 'plan', { variables: order })
    const work = this.makeTask('Work', 'work', { arraySize: JsonPath.numberAt('$.workers') })
    const finish = this.makeTask('Finish', 'finish')
    // What plan and workers did is in the items of the load: `finish` judges those, and records why a load failed.
    for (const task of [plan, work]) task.addCatch(finish, { errors: [Errors.ALL], resultPath: JsonPath.DISCARD })

    this.stateMachine = new StateMachine(this, 'Machine', {
      definitionBody: DefinitionBody.fromChainable(plan.next(work).next(finish)),
      timeout: maxDuration,
      logs: {
        level: LogLevel.ERROR,
        // The address of a table of contents may be in the order.
        includeExecutionData: false,
        destination: new LogGroup(this, 'Logs', {
          // See lib/workflow/workflow.ts.
          logGroupName: `/aws/vendedlogs/states/rate-search-loads-${props.stageName}`,
          retention: RetentionDays.ONE_MONTH,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
      },
    })
    // The CDK's task only allows submitting. Source: Step Functions developer guide, "IAM policies for calling AWS
    // Batch"; DescribeJobs has no resource-level permissions.
    const jobs = Stack.of(this).formatArn({ service: 'batch', resource: 'job', resourceName: '*' })
    this.stateMachine.addToRolePolicy(new PolicyStatement({ actions: ['batch:DescribeJobs'], resources: ['*'] }))
    this.stateMachine.addToRolePolicy(new PolicyStatement({ actions: ['batch:TerminateJob'], resources: [jobs] }))
  }

  private makeTask(
    id: string,
    step: LoadStep,
    more: { readonly arraySize?: number; readonly variables?: Readonly<Record<string, string>> } = {},
  ): BatchSubmitJob {
    const { queue, jobs } = this.props
    const { arraySize, variables } = more
    const task = new BatchSubmitJob(this, id, {
      integrationPattern: IntegrationPattern.RUN_JOB,
      jobDefinitionArn: jobs[step].definition.jobDefinitionArn,
      jobQueueArn: queue.jobQueueArn,
      jobName: JsonPath.format(`load-{}-${step}`, JsonPath.stringAt('$.loadId')),
      containerOverrides: { environment: { LOAD_ID: JsonPath.stringAt('$.loadId'), ...variables } },
      ...(arraySize !== undefined && { arraySize }),
      resultPath: JsonPath.DISCARD,
    })
    task.addRetry({ errors: batchFaults, interval: Duration.seconds(5), backoffRate: 2, maxAttempts: 6 })
    return task
  }
}
