import { Duration } from 'aws-cdk-lib'
import { Rule } from 'aws-cdk-lib/aws-events'
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets'
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { LoadQueue } from './load-queue.ts'

/**
 * Adds a queue with the events of blocked job queues, which say what no job can start without: capacity, an image or a
 * right. AWS Batch has no metric for it. An alarm watches the number of events, and ends a day after the last.
 *
 * Source: AWS Batch user guide, "Job queue blocked events".
 */
export function addBlockedLoads(scope: Construct, queues: Pick<LoadQueue, 'work' | 'control'>): IQueue {
  const parent = new Construct(scope, 'Blocked')
  const queue = new Queue(parent, 'Events', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(1),
  })
  new Rule(parent, 'Rule', {
    description: 'Jobs of loads that AWS Batch cannot start',
    eventPattern: {
      source: ['aws.batch'],
      detailType: ['Batch Job Queue Blocked'],
      detail: { jobQueue: [queues.work, queues.control].map(({ jobQueueArn }) => jobQueueArn) },
    },
    targets: [new SqsQueue(queue)],
  })
  return queue
}
