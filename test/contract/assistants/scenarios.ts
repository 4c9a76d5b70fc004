/** A scenario of the protocol's conformance suite that a server can be checked by without the suite's own tools. */
export interface Scenario {
  readonly name: string
  /** Versions of the protocol in which it is run. */
  readonly versions: readonly string[]
  /** Checks that cannot pass, each with the reason. */
  readonly inapplicable?: Readonly<Record<string, string>>
}

const needsTool = "needs a tool of the suite's own server"
const needsSubscription = 'subscriptions are refused'
const needsPrompts = 'the server has no prompts'
const needsResources = 'the server has no resources'

export const scenarios: readonly Scenario[] = [
  { name: 'server-initialize', versions: ['2025-06-18', '2025-11-25'] },
  { name: 'ping', versions: ['2025-06-18', '2025-11-25'] },
  { name: 'tools-list', versions: ['2025-06-18', '2025-11-25', '2026-07-28'] },
  { name: 'dns-rebinding-protection', versions: ['2025-11-25', '2026-07-28'] },
  { name: 'http-header-validation', versions: ['2026-07-28'] },
  { name: 'input-required-result-unsupported-methods', versions: ['2026-07-28'] },
  {
    name: 'server-stateless',
    versions: ['2026-07-28'],
    inapplicable: {
      'sep-2575-server-rejects-undeclared-capability': needsTool,
      'sep-2575-missing-capability-http-400': needsTool,
      'sep-2575-http-server-no-independent-requests-on-stream': needsTool,
      'sep-2575-server-no-log-without-loglevel': needsTool,
      'sep-2575-server-sends-subscription-ack': needsSubscription,
      'sep-2575-server-tags-subscription-id': needsSubscription,
      'sep-2575-server-sends-tools-list-changed-on-subscription': needsSubscription,
    },
  },
  {
    name: 'caching',
    versions: ['2026-07-28'],
    inapplicable: {
      'sep-2549-prompts-list-caching-hints': needsPrompts,
      'sep-2549-resources-list-caching-hints': needsResources,
      'sep-2549-resources-templates-list-caching-hints': needsResources,
    },
  },
]
