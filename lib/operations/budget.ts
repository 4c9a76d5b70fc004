import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import type { Construct } from 'constructs'
import type { Stage } from '../stage/stage.ts'
import { stageTag } from '../stage/stage-values.ts'

/** Shares of a budget at which its addresses get a mail, in percent. */
const notified = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const

/**
 * Adds a monthly budget for the resources with the stage's tag. It sees nothing until the tag is activated in the
 * account that pays. Source: AWS Billing user guide, "Activating user-defined cost allocation tags".
 */
export function addBudget(scope: Construct, { name, budget }: Pick<Stage, 'name' | 'budget'>): void {
  if (budget === undefined) return
  const subscribers = budget.addresses.map((address) => ({ subscriptionType: 'EMAIL', address }))
  new CfnBudget(scope, 'Budget', {
    budget: {
      budgetName: `rate-search-${name}`,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: budget.dollarsPerMonth, unit: 'USD' },
      // Source: AWS Budgets API, Budget, `CostFilters`.
      costFilters: { TagKeyValue: [`user:${stageTag}$${name}`] },
    },
    notificationsWithSubscribers: notified.map((notification) => ({
      notification: { ...notification, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
      subscribers,
    })),
  })
}
