// The list inside `currency-codes`, without the searching around it and the packages that takes.
declare module "currency-codes/data.js" {
  const listOne: readonly { code: string; digits: number }[];
  export default listOne;
}
