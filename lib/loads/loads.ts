import type { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import { writeLoadWorker } from '../../schema/load-worker.ts'
import { addSchedules } from './add-schedules.ts'
import { addBlockedLoads } from './blocked-loads.ts'
import { LoadNetwork } from './load-network.ts'
import { LoadQueue } from './load-queue.ts'
import { LoadWorkflow } from './load-workflow.ts'
import { addStepJobs, type StepJobsProps } from './step-jobs.ts'

/** Loads on AWS Batch: a network, a queue, a job for each step, the workflow that runs them, and its schedules. */
export class Loads extends Construct {
  readonly stateMachine: StateMachine
  /** ARNs of the queues, with a comma between them. */
  readonly queueArns: string
  /** Size of a worker and the limit of workers, as JSON that commands read. */
  readonly workerSize: string
  /** Metrics that count loads which failed or could not be started. */
  readonly failures: readonly Metric[]
  /** Queue of the events that say what blocks loads. */
  readonly blocked: IQueue
  /** Metrics that count loads by how they went: started, succeeded, and the failures. */
  readonly outcomes: readonly Metric[]

  constructor(scope: Construct, id: string, props: StepJobsProps) {
    super(scope, id)
    const { stageName, settings } = props
    this.workerSize = writeLoadWorker(settings)
    const network = new LoadNetwork(this, 'Network', settings.zones)
    const queues = new LoadQueue(this, 'Queue', { network, settings })
    this.queueArns = [queues.work, queues.control].map(({ jobQueueArn }) => jobQueueArn).join()
    this.blocked = addBlockedLoads(this, queues)
    const jobs = addStepJobs(this, props)
    const { stateMachine } = new LoadWorkflow(this, 'Workflow', { stageName, queues, jobs })
    this.stateMachine = stateMachine
    const undelivered = addSchedules(this, settings.schedules, stateMachine)
    this.failures = [stateMachine.metricFailed(), stateMachine.metricTimedOut(), ...undelivered]
    this.outcomes = [stateMachine.metricStarted(), stateMachine.metricSucceeded(), ...this.failures]
  }
}
