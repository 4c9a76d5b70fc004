import { createHash } from 'node:crypto'
import { type Answer, type HttpStub, startHttpStub } from '../http-stub.ts'

/** A message of a queue. */
export interface QueuedMessage {
  readonly body: string
  readonly attributes?: Readonly<Record<string, string>>
}

interface Stored extends QueuedMessage {
  readonly id: string
  isHidden: boolean
}

export interface MessageQueue extends HttpStub {
  /** Bodies that are left, received ones included. */
  bodies(): readonly string[]
  /** Bodies that others could receive. */
  visible(): readonly string[]
}

/**
 * Starts a queue of SQS, whose received messages stay hidden until they are released or deleted. Gives three messages
 * at a time, as SQS may give fewer than it is asked for. Source: SQS API, JSON protocol.
 */
export async function startMessageQueue(messages: readonly QueuedMessage[]): Promise<MessageQueue> {
  let stored: Stored[] = messages.map((message, index) => ({ ...message, id: `message-${index}`, isHidden: false }))
  const answers: Readonly<Record<string, (request: Request) => object>> = {
    ReceiveMessage: () => {
      const received = stored.filter(({ isHidden }) => !isHidden).slice(0, 3)
      for (const message of received) message.isHidden = true
      return { Messages: received.map(describeMessage) }
    },
    DeleteMessage: ({ ReceiptHandle }) => {
      stored = stored.filter(({ id }) => `receipt of ${id}` !== ReceiptHandle)
      return {}
    },
    ChangeMessageVisibility: ({ ReceiptHandle, VisibilityTimeout }) => {
      for (const message of stored)
        if (`receipt of ${message.id}` === ReceiptHandle) message.isHidden = VisibilityTimeout !== 0
      return {}
    },
    GetQueueAttributes: () => ({
      Attributes: {
        ApproximateNumberOfMessages: String(stored.filter(({ isHidden }) => !isHidden).length),
        ApproximateNumberOfMessagesNotVisible: String(stored.filter(({ isHidden }) => isHidden).length),
      },
    }),
  }
  const stub = await startHttpStub(({ operation, body }): Answer => {
    const answer = answers[operation]
    if (answer === undefined) return { status: 400, body: JSON.stringify({ __type: 'UnsupportedOperation' }) }
    return { status: 200, body: JSON.stringify(answer(JSON.parse(body))) }
  })
  return {
    ...stub,
    bodies: () => stored.map(({ body }) => body),
    visible: () => stored.filter(({ isHidden }) => !isHidden).map(({ body }) => body),
    [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose](),
  }
}

interface Request {
  readonly ReceiptHandle?: string
  readonly VisibilityTimeout?: number
}

const describeMessage = ({ id, body, attributes = {} }: Stored) => ({
  MessageId: id,
  ReceiptHandle: `receipt of ${id}`,
  Body: body,
  MD5OfBody: createHash('md5').update(body).digest('hex'),
  Attributes: { SentTimestamp: String(Date.parse('2026-11-24T10:00:00Z')) },
  MessageAttributes: Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, { DataType: 'String', StringValue: value }]),
  ),
})
