import { DescribeRuleCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { commandRequests } from './request-limits.ts'

/** A rule that calls functions by the clock or for events. */
export interface EventRule {
  readonly name: string
  readonly isEnabled: boolean
}

/** Reads rules of the default event bus, in the account and region of the SDK's defaults. */
export function createEventRules(client = new EventBridgeClient(commandRequests)) {
  return {
    read: async (Name: string): Promise<EventRule> => {
      const { State } = await client.send(new DescribeRuleCommand({ Name }))
      return { name: Name, isEnabled: State !== 'DISABLED' }
    },
  }
}
