import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { commandRequests } from './request-limits.ts'
import { requireFields } from './require-fields.ts'

/** An event in the dead-letter queue, which no function has handled. */
export interface LostEvent {
  /** The same however often the event is received. */
  readonly messageId: string
  /** Receipt handle of this reception, for `remove` and `release`. */
  readonly receipt: string
  readonly body: string
  readonly sentAt?: Date
  /** Attributes that EventBridge or Lambda added: why the event was lost. */
  readonly attributes: Readonly<Record<string, string>>
}

/** The queue of lost events, in the account and region of the SDK's defaults. */
export interface LostEvents {
  /** Receives up to ten events and hides them from other receivers for `hiddenSeconds`. Empty if no event is left. */
  receive(hiddenSeconds: number): Promise<readonly LostEvent[]>
  remove(event: LostEvent): Promise<void>
  /** Lets others receive the event again. */
  release(event: LostEvent): Promise<void>
  /** Counts the events in the queue, received ones included. Approximate, as SQS documents. */
  count(): Promise<number>
}

/** Seconds for which SQS waits for a message before it says that there is none. */
const waitSeconds = 2

/**
 * Opens the queue with this URL. The URL only names the queue, because an emulator's URLs may have a host that does not
 * resolve.
 */
export function openLostEvents(
  QueueUrl: string,
  client = new SQSClient({ ...commandRequests, useQueueUrlAsEndpoint: false }),
): LostEvents {
  return {
    receive: async (hiddenSeconds) => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          VisibilityTimeout: hiddenSeconds,
          WaitTimeSeconds: waitSeconds,
          MessageSystemAttributeNames: ['SentTimestamp'],
          MessageAttributeNames: ['All'],
        }),
      )
      return Messages.map((message) => {
        requireFields(message, ['MessageId', 'ReceiptHandle', 'Body'], 'SQS')
        const { MessageId, ReceiptHandle, Body, Attributes, MessageAttributes } = message
        const sent = Number(Attributes?.SentTimestamp ?? Number.NaN)
        const entries = Object.entries(MessageAttributes ?? {})
        return {
          messageId: MessageId,
          receipt: ReceiptHandle,
          body: Body,
          ...(Number.isFinite(sent) && { sentAt: new Date(sent) }),
          attributes: Object.fromEntries(entries.map(([name, { StringValue = '' }]) => [name, StringValue])),
        }
      })
    },

    remove: async ({ receipt }) => {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt }))
    },

    release: async ({ receipt }) => {
      await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: receipt, VisibilityTimeout: 0 }))
    },

    count: async () => {
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
        }),
      )
      const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } = Attributes
      const counts = [ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible].map(Number)
      if (counts.some(Number.isNaN)) throw new TypeError('SQS did not count its messages')
      return counts.reduce((sum, count) => sum + count, 0)
    },
  }
}

/**
 * Calls a function and waits for its end.
 *
 * @returns the function's error in one line; undefined if it has handled the event
 * @throws whatever the SDK throws if the function cannot be called
 */
export async function invokeFunction(
  name: string,
  event: unknown,
  client = new LambdaClient(commandRequests),
): Promise<string | undefined> {
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }),
  )
  if (FunctionError === undefined) return undefined
  const answer = Payload === undefined ? '' : new TextDecoder().decode(Payload)
  return readError(answer) ?? FunctionError
}

/** Reads an error as Lambda describes it. Source: Lambda developer guide, "Node.js function errors". */
function readError(answer: string): string | undefined {
  try {
    const error: unknown = JSON.parse(answer)
    if (typeof error !== 'object' || error === null || !('errorMessage' in error)) return undefined
    const type = 'errorType' in error ? `${error.errorType}: ` : ''
    return `${type}${error.errorMessage}`.split('\n')[0]
  } catch {
    return undefined
  }
}
