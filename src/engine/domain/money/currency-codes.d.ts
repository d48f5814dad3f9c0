// The list within `currency-codes`, without the package's search functions and their dependencies.
declare module "currency-codes/data.js" {
  const listOne: readonly { code: string; digits: number }[];
  export default listOne;
}
