/** Names of who bills a price, by its class. Source: CMS schema, `billing_class`. */
const classNames: Readonly<Record<string, string>> = {
  professional: 'Professional',
  institutional: 'Facility',
  both: 'Professional or facility',
  '': 'Class not published',
}

/** Names the class of prices, such as "Facility"; a word that CMS does not define stands as it was published. */
export const nameClass = (billingClass: string): string => classNames[billingClass] ?? billingClass
